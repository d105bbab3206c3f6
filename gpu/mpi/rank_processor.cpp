#include "gpu/mpi/rank_processor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "gpu/host/host_device.hpp"
#include "gpu/host/host_kernels.hpp"
#include "gpu/mpi/message_pump.hpp"
#include "gpu/mpi/rank_messages.hpp"
#include "models/host_machine.hpp"

namespace damocles {
namespace {

constexpr ProcessorId own{0};

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown machine";
  return name.data();
}

/// Tasks that were started on the device, and the thread that waits for their ends.
class TaskEnds {
 public:
  TaskEnds(Device& device, MessagePump& pump)
      : device_(device), pump_(pump), thread_([this] { wait_for_tasks(); }) {}
  TaskEnds(const TaskEnds&) = delete;
  TaskEnds& operator=(const TaskEnds&) = delete;
  ~TaskEnds() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// The task of that answer was started.
  void add(const MessageHead& answer) {
    {
      const std::lock_guard lock(mutex_);
      started_.push_back(answer);
    }
    changed_.notify_all();
  }
  /// Until all that were started have ended.
  void wait_until_idle() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return started_.empty(); });
  }

 private:
  void wait_for_tasks() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stopping_ || !started_.empty(); });
      if (started_.empty()) return;
      MessageHead answer = started_.front();
      lock.unlock();
      pump_.post({0, end_of_task(answer)});
      lock.lock();
      started_.pop_front();
      changed_.notify_all();
    }
  }

  std::string end_of_task(MessageHead answer) {
    try {
      const Interval when = device_.finish_task(own);
      MessageWriter message(answer);
      message.put(when.end_s - when.begin_s);
      return message.take();
    } catch (const std::exception& error) {
      answer.verb = RankVerb::failed;
      MessageWriter message(answer);
      message.put_text(error.what());
      return message.take();
    }
  }

  Device& device_;
  MessagePump& pump_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MessageHead> started_;
  bool stopping_ = false;
  std::thread thread_;
};

class RankProcessor {
 public:
  RankProcessor(Ranks& ranks, Device& device)
      : device_(device), pump_(ranks), tasks_(device, pump_) {}

  enum class End { together, alone, lost };
  End serve(double silence_s) {
    const auto lose = [this](int /*rank*/) {
      end_ = End::lost;
      pump_.stop();
    };
    pump_.run([this](const RankMessage& message) { take(message); }, {{0}, silence_s, lose});
    return end_;
  }

 private:
  void take(const RankMessage& message) {
    MessageHead head;
    try {
      MessageReader reader(message.text);
      head = reader.head();
      obey(reader);
    } catch (const std::exception& error) {
      head.verb = RankVerb::failed;
      MessageWriter answer(head);
      answer.put_text(error.what());
      pump_.post({0, answer.take()});
    }
  }

  void obey(MessageReader& message) {
    const MessageHead& head = message.head();
    switch (head.verb) {
      case RankVerb::describe:
        return describe(head);
      case RankVerb::allocate:
        return allocate(head);
      case RankVerb::release:
        memory_.erase(head.address);
        return device_.release(own, address_of(head.address));
      case RankVerb::clear:
        return device_.clear(own, checked(head.address, head.bytes), head.bytes);
      case RankVerb::prepare:
        device_.prepare(get_kernel(message));
        return answer_done(head);
      case RankVerb::begin:
        tasks_.wait_until_idle();
        device_.start_clock();
        run_ = head.run;
        return answer_done(head);
      case RankVerb::cancel:
        return cancel(head);
      case RankVerb::end:
        return pump_.stop();
      case RankVerb::leave:
        end_ = End::alone;
        return pump_.stop();
      default:
        if (head.run == run_) obey_in_run(message);
    }
  }

  void obey_in_run(MessageReader& message) {
    const MessageHead& head = message.head();
    switch (head.verb) {
      case RankVerb::load:
        return load(message);
      case RankVerb::lend:
        return lend(message);
      case RankVerb::send_back:
        return send(0, {RankVerb::sent_back, head.run, head.work, 0, head.bytes}, head.address);
      case RankVerb::compute: {
        TaskCall call = get_call(message);
        call.ready_s = device_.now_s();
        device_.start_task(own, std::move(call));
        return tasks_.add({RankVerb::computed, head.run, head.work});
      }
      default:
        throw DeviceError("mpi: a message that is none; all ranks must run the same program");
    }
  }

  void describe(const MessageHead& head) {
    const DeviceDescription device = device_.description();
    MessageWriter answer({RankVerb::described, 0, head.work});
    put_description(answer,
                    {host_name(), cpu_name(), device.driver, std::thread::hardware_concurrency()});
    pump_.post({0, answer.take()});
  }

  void allocate(const MessageHead& head) {
    std::byte* const at = device_.allocate(own, head.bytes);
    memory_.emplace(number_of(at), head.bytes);
    pump_.post({0, MessageWriter({RankVerb::done, 0, head.work, number_of(at)}).take()});
  }

  void answer_done(const MessageHead& head) {
    pump_.post({0, MessageWriter({RankVerb::done, 0, head.work}).take()});
  }

  /// Memory that the run used is released next, so nothing may use it from now on.
  void cancel(const MessageHead& head) {
    if (head.run != run_) return;
    run_ = 0;
    device_.cancel();
    tasks_.wait_until_idle();
  }

  void load(MessageReader& message) {
    const MessageHead& head = message.head();
    const std::byte* const from = message.content(head.bytes);
    device_.start_load(own, checked(head.address, head.bytes), from, head.bytes, device_.now_s());
    (void)device_.finish_load(own);
    pump_.post({0, MessageWriter({RankVerb::loaded, head.run, head.work}).take()});
  }

  void lend(MessageReader& message) {
    const MessageHead& head = message.head();
    const auto to = message.get<std::int32_t>();
    const auto address = message.get<std::uint64_t>();
    send(to, {RankVerb::load, head.run, head.work, address, head.bytes}, head.address);
  }

  void send(int rank, const MessageHead& head, std::uint64_t from) {
    MessageWriter message(head);
    std::byte* const content = message.put_room(head.bytes);
    device_.start_write(own, content, checked(from, head.bytes), head.bytes, device_.now_s());
    (void)device_.finish_write(own);
    pump_.post({rank, message.take(), true});
  }

  /// @throws DeviceError where the bytes are not in one piece of memory that was allocated
  [[nodiscard]] std::byte* checked(std::uint64_t address, std::uint64_t bytes) const {
    const auto after = memory_.upper_bound(address);
    if (after != memory_.begin()) {
      const auto& [begin, size] = *std::prev(after);
      if (address - begin <= size && bytes <= size - (address - begin)) return address_of(address);
    }
    throw DeviceError("mpi: an address that is not of this rank");
  }

  Device& device_;
  std::map<std::uint64_t, std::uint64_t> memory_;  // that was allocated: address, bytes
  std::uint32_t run_ = 0;                          // its number; 0: there is none
  End end_ = End::together;
  MessagePump pump_;
  TaskEnds tasks_;
};

}  // namespace

void serve_as_processor(Ranks& ranks, Device& device, double silence_s) {
  const auto end = RankProcessor(ranks, device).serve(silence_s);
  ranks.end(end == RankProcessor::End::together);
  if (end == RankProcessor::End::lost) throw DeviceError("mpi: rank 0 is lost");
}

}  // namespace damocles
