#include "gpu/mpi/rank_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gpu/host/host_device.hpp"
#include "gpu/host/throttled_bus.hpp"
#include "gpu/mpi/rank_messages.hpp"

namespace damocles {
namespace {

/// The engines of a processor. The number of a work says of which engine it is.
enum class EngineKind : std::uint8_t { loads, peer_loads, tasks, writes };
constexpr std::uint64_t engine_kinds = 4;

/// What was started on an engine and is not finished yet.
struct StartedWork {
  std::uint64_t number = 0;
  double begin_s = 0;
  std::byte* to = nullptr;  ///< of a write, in host memory
  std::optional<double> end_s{};
};

struct RankEngine {
  std::deque<StartedWork> started;  // oldest first
  std::condition_variable changed;
  double free_s = 0;  // when the work before ended
};

void refuse_larger_than_a_message(std::uint64_t bytes) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max() / 2;
  if (bytes <= most) return;
  throw DeviceError(fmt::format(
      "mpi: a copy of {} bytes is larger than a message of at most {}; use smaller tiles", bytes,
      most));
}

class RankDevice final : public Device {
 public:
  explicit RankDevice(RankJob& job)
      : job_(job), host_(make_host_device({})), engines_(static_cast<std::size_t>(job.others())) {
    job_.set_receiver(
        {[this](const RankMessage& message) { take(message); }, [this](int rank) { lose(rank); }});
    std::vector<std::uint64_t> asked;
    for (std::size_t p = 0; p < engines_.size(); ++p) {
      asked.push_back(ask(p, {.verb = RankVerb::describe}));
    }
    for (const std::uint64_t number : asked) (void)answer_to(number);
  }
  RankDevice(const RankDevice&) = delete;
  RankDevice& operator=(const RankDevice&) = delete;
  ~RankDevice() override { job_.set_receiver({}); }

  [[nodiscard]] DeviceDescription description() const override;
  [[nodiscard]] std::size_t processors() const override { return engines_.size(); }
  [[nodiscard]] std::size_t at_once() const override;

  std::byte* allocate_host(std::size_t bytes) override { return host_->allocate_host(bytes); }
  void release_host(std::byte* at) noexcept override { host_->release_host(at); }
  std::byte* allocate(ProcessorId processor, std::size_t bytes) override {
    return address_of(answer_to(ask(raw(processor), {.verb = RankVerb::allocate, .bytes = bytes})));
  }
  void release(ProcessorId processor, std::byte* at) noexcept override {
    post(raw(processor), {.verb = RankVerb::release, .address = number_of(at)});
  }
  void clear(ProcessorId processor, std::byte* at, std::size_t bytes) override {
    post(raw(processor), {.verb = RankVerb::clear, .address = number_of(at), .bytes = bytes});
  }

  void prepare(const Kernel& kernel) override;
  void start_clock() override;
  [[nodiscard]] double now_s() const override { return clock_.now_s(); }

  void start_load(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                  double ready_s) override;
  Interval finish_load(ProcessorId processor) override {
    return finish(processor, EngineKind::loads);
  }
  void start_peer_load(ProcessorId lender, ProcessorId processor, std::byte* to,
                       const std::byte* from, std::size_t bytes, double ready_s) override;
  Interval finish_peer_load(ProcessorId processor) override {
    return finish(processor, EngineKind::peer_loads);
  }
  void start_task(ProcessorId processor, TaskCall call) override;
  Interval finish_task(ProcessorId processor) override {
    return finish(processor, EngineKind::tasks);
  }
  void start_write(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                   double ready_s) override;
  Interval finish_write(ProcessorId processor) override {
    return finish(processor, EngineKind::writes);
  }
  void cancel() noexcept override;

 private:
  using Engines = std::array<RankEngine, engine_kinds>;
  struct Request {
    int rank = 0;
    std::optional<std::uint64_t> answer{};  // an address, or 0
    std::string failure{};
  };

  RankEngine& engine(std::size_t processor, EngineKind kind) {
    return engines_[processor][static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::string name_of(int rank) const;
  void post(std::size_t processor, const MessageHead& head) {
    job_.post({static_cast<int>(processor) + 1, MessageWriter(head).take()});
  }
  std::uint64_t ask(std::size_t processor, MessageHead head, const Kernel* kernel = nullptr);
  std::uint64_t answer_to(std::uint64_t number);
  MessageHead started(ProcessorId processor, EngineKind kind, MessageHead head, double ready_s,
                      std::byte* to = nullptr);
  Interval finish(ProcessorId processor, EngineKind kind);
  void take(const RankMessage& message);
  void take_answer(const RankMessage& message);
  void take_end(std::size_t processor, MessageReader& message);
  void take_failure(int rank, MessageReader& message);
  void lose(int rank);
  [[nodiscard]] std::string loss_of(int rank) const;
  void fail(const std::string& why);
  void wake_all();

  RankJob& job_;
  std::unique_ptr<Device> host_;  // memory alone
  RunClock clock_;
  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable answered_;
  std::map<std::uint64_t, Request> requests_;
  std::map<int, PartDescription> parts_;  // by rank
  std::set<int> lost_;                    // ranks
  std::deque<Engines> engines_;           // shape (p)
  std::uint64_t works_ = 0;
  std::uint32_t run_ = 0;
  bool cancelled_ = false;
  std::string failure_;  // of the run
};

std::string RankDevice::name_of(int rank) const {
  const auto part = parts_.find(rank);
  return part == parts_.end() ? fmt::format("rank {}", rank)
                              : fmt::format("rank {} on {}", rank, part->second.host);
}

DeviceDescription RankDevice::description() const {
  const std::lock_guard lock(mutex_);
  DeviceDescription result{.backend = "mpi", .name = "", .driver = "", .parts = {}};
  std::set<std::string> processors;
  std::set<std::string> libraries{job_.library()};
  for (const auto& [rank, part] : parts_) {
    processors.insert(fmt::format("{}, {} threads", part.processor, part.threads));
    libraries.insert(part.library);
    result.parts.push_back(name_of(rank));
  }
  result.name = fmt::format("{}", fmt::join(processors, "; "));
  result.driver = fmt::format("{}", fmt::join(libraries, "; "));
  return result;
}

/// On each machine, as many as it has hardware threads.
std::size_t RankDevice::at_once() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::uint32_t> ranks;
  std::size_t result = 0;
  for (const auto& [rank, part] : parts_) {
    if (++ranks[part.host] <= std::max(part.threads, 1U)) ++result;
  }
  return result;
}

void RankDevice::prepare(const Kernel& kernel) {
  std::vector<std::uint64_t> asked;
  for (std::size_t p = 0; p < engines_.size(); ++p) {
    asked.push_back(ask(p, {.verb = RankVerb::prepare}, &kernel));
  }
  for (const std::uint64_t number : asked) (void)answer_to(number);
}

void RankDevice::start_clock() {
  std::uint32_t run = 0;
  {
    const std::lock_guard lock(mutex_);
    for (Engines& engines : engines_) {
      for (RankEngine& engine : engines) {
        engine.started.clear();
        engine.free_s = 0;
      }
    }
    failure_.clear();
    cancelled_ = false;
    run = run_ = job_.new_run();
  }
  std::vector<std::uint64_t> asked;
  for (std::size_t p = 0; p < engines_.size(); ++p) {
    asked.push_back(ask(p, {.verb = RankVerb::begin, .run = run}));
  }
  for (const std::uint64_t number : asked) (void)answer_to(number);
  clock_.start();
}

/// What the answer will name.
std::uint64_t RankDevice::ask(std::size_t processor, MessageHead head, const Kernel* kernel) {
  {
    const std::lock_guard lock(mutex_);
    head.work = ++works_ * engine_kinds;
    const int rank = static_cast<int>(processor) + 1;
    Request& request = requests_[head.work];
    request.rank = rank;
    if (lost_.contains(rank)) request.failure = loss_of(rank);
  }
  MessageWriter message(head);
  if (kernel != nullptr) put_kernel(message, *kernel);
  job_.post({static_cast<int>(processor) + 1, message.take()});
  return head.work;
}

std::uint64_t RankDevice::answer_to(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  Request& request = requests_.at(number);
  answered_.wait(lock, [&] { return request.answer || !request.failure.empty(); });
  const Request answered = std::move(request);
  requests_.erase(number);
  if (!answered.failure.empty()) throw DeviceError(answered.failure);
  return *answered.answer;
}

MessageHead RankDevice::started(ProcessorId processor, EngineKind kind, MessageHead head,
                                double ready_s, std::byte* to) {
  refuse_larger_than_a_message(head.bytes);
  const std::lock_guard lock(mutex_);
  head.run = run_;
  head.work = ++works_ * engine_kinds + static_cast<std::uint64_t>(kind);
  engine(raw(processor), kind).started.push_back({head.work, ready_s, to});
  return head;
}

void RankDevice::start_load(ProcessorId processor, std::byte* to, const std::byte* from,
                            std::size_t bytes, double ready_s) {
  const MessageHead head =
      started(processor, EngineKind::loads,
              {.verb = RankVerb::load, .address = number_of(to), .bytes = bytes}, ready_s);
  MessageWriter message(head);
  // Now, as the run may end, and its memory with it, before the message leaves.
  std::memcpy(message.put_room(bytes), from, bytes);
  job_.post({static_cast<int>(raw(processor)) + 1, message.take(), true});
}

void RankDevice::start_peer_load(ProcessorId lender, ProcessorId processor, std::byte* to,
                                 const std::byte* from, std::size_t bytes, double ready_s) {
  const MessageHead head =
      started(processor, EngineKind::peer_loads,
              {.verb = RankVerb::lend, .address = number_of(from), .bytes = bytes}, ready_s);
  MessageWriter message(head);
  message.put(static_cast<std::int32_t>(raw(processor)) + 1);
  message.put(number_of(to));
  job_.post({static_cast<int>(raw(lender)) + 1, message.take()});
}

void RankDevice::start_task(ProcessorId processor, TaskCall call) {
  MessageWriter message(
      started(processor, EngineKind::tasks, {.verb = RankVerb::compute}, call.ready_s));
  put_call(message, call);
  job_.post({static_cast<int>(raw(processor)) + 1, message.take()});
}

void RankDevice::start_write(ProcessorId processor, std::byte* to, const std::byte* from,
                             std::size_t bytes, double ready_s) {
  post(raw(processor),
       started(processor, EngineKind::writes,
               {.verb = RankVerb::send_back, .address = number_of(from), .bytes = bytes}, ready_s,
               to));
}

Interval RankDevice::finish(ProcessorId processor, EngineKind kind) {
  RankEngine& on = engine(raw(processor), kind);
  std::unique_lock lock(mutex_);
  if (on.started.empty()) throw DeviceError("mpi: a finish without a start");
  on.changed.wait(lock,
                  [&] { return on.started.front().end_s || cancelled_ || !failure_.empty(); });
  if (!failure_.empty()) throw DeviceError(failure_);
  if (cancelled_) return {};
  const StartedWork work = on.started.front();
  on.started.pop_front();
  const double begin_s = std::max(work.begin_s, on.free_s);
  on.free_s = std::max(begin_s, *work.end_s);
  return {begin_s, on.free_s};
}

/// On the job's thread.
void RankDevice::take(const RankMessage& message) {
  try {
    take_answer(message);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    fail(error.what());
  }
}

void RankDevice::take_answer(const RankMessage& message) {
  MessageReader reader(message.text);
  const MessageHead& head = reader.head();
  if (head.verb == RankVerb::failed) return take_failure(message.rank, reader);
  const std::lock_guard lock(mutex_);
  if (head.verb == RankVerb::done || head.verb == RankVerb::described) {
    if (head.verb == RankVerb::described) parts_[message.rank] = get_description(reader);
    // Not of a device before this one.
    if (const auto asked = requests_.find(head.work); asked != requests_.end()) {
      asked->second.answer = head.address;
      answered_.notify_all();
    }
    return;
  }
  if (head.run == run_ && !cancelled_) take_end(static_cast<std::size_t>(message.rank) - 1, reader);
}

/// Work on an engine has ended.
void RankDevice::take_end(std::size_t processor, MessageReader& message) {
  const MessageHead& head = message.head();
  RankEngine& on = engine(processor, static_cast<EngineKind>(head.work % engine_kinds));
  const auto work =
      std::find_if(on.started.begin(), on.started.end(),
                   [&](const StartedWork& started) { return started.number == head.work; });
  if (work == on.started.end()) return;
  work->end_s = clock_.now_s();
  if (head.verb == RankVerb::computed) {
    work->begin_s = *work->end_s - message.get<double>();
  } else if (head.verb == RankVerb::sent_back) {
    std::memcpy(work->to, message.content(head.bytes), head.bytes);
  }
  if (work == on.started.begin()) on.changed.notify_all();
}

void RankDevice::take_failure(int rank, MessageReader& message) {
  const std::lock_guard lock(mutex_);
  const std::string why = fmt::format("{}: {}", name_of(rank), message.get_text());
  if (const auto asked = requests_.find(message.head().work); asked != requests_.end()) {
    asked->second.failure = why;
    answered_.notify_all();
    return;
  }
  if (message.head().run != run_) return;
  fail(why);
}

/// On the job's thread, or where this device begins to listen.
void RankDevice::lose(int rank) {
  const std::lock_guard lock(mutex_);
  lost_.insert(rank);
  for (auto& [number, request] : requests_) {
    if (request.rank == rank && !request.answer) request.failure = loss_of(rank);
  }
  answered_.notify_all();
  fail(loss_of(rank));
}

std::string RankDevice::loss_of(int rank) const {
  return fmt::format("mpi: {} is lost: nothing was heard of it for {:g} s", name_of(rank),
                     job_.silence_s());
}

/// The lock is held.
void RankDevice::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  wake_all();
}

void RankDevice::wake_all() {
  for (Engines& engines : engines_) {
    for (RankEngine& engine : engines) engine.changed.notify_all();
  }
}

void RankDevice::cancel() noexcept {
  std::uint32_t run = 0;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    run = run_;
    wake_all();
  }
  for (std::size_t p = 0; p < engines_.size(); ++p) {
    post(p, {.verb = RankVerb::cancel, .run = run});
  }
}

}  // namespace

std::unique_ptr<Device> make_rank_device(RankJob& job) { return std::make_unique<RankDevice>(job); }

}  // namespace damocles
