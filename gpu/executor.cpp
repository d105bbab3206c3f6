#include "gpu/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "gpu/memory/processor_memory.hpp"
#include "models/error.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/speed_clock.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

/// How often the main thread looks whether the run was interrupted.
constexpr std::chrono::milliseconds glance{50};
/// Tiles of sums on their way home at once, a processor.
constexpr std::size_t staging_tiles = 2;

/// Work that is queued on an engine of the device, oldest first, and its thread.
template <typename Item>
struct EngineQueue {
  std::deque<Item> queued;
  std::condition_variable wake;
};

struct Load {
  DataId data;
  std::size_t event;
};

struct Compute {
  TaskId task;
  TaskOutput output;
  std::byte* result;  // of a fresh output
  std::size_t event;
};

/// A result on its way home: a fresh output goes straight to its place; a sum goes to a staging
/// buffer and is added from there.
struct Write {
  enum class Of { fresh, evicted, last } of;
  std::uint64_t tile;
  std::byte* from;
  DataId data;         // of an evicted sum
  std::byte* staging;  // of sums
};

class Executor final : public Machine {
 public:
  Executor(const Workload& workload, const Platform& platform, const Arithmetic& arithmetic,
           Store& store, Device& device, const std::vector<std::uint64_t>& memory_bytes,
           const ExecutorOptions& options)
      : workload_(workload),
        platform_(platform),
        arithmetic_(arithmetic),
        store_(store),
        device_(device),
        options_(options),
        pace_(platform, options.seed, options.replicate),
        results_(kinds_of_results(arithmetic)) {
    const std::size_t processors = device.processors();
    for (std::size_t p = 0; p < processors; ++p) {
      const ProcessorId processor{static_cast<std::uint32_t>(p)};
      // One result more than tasks at once, so that the next task finds room.
      nodes_.emplace_back(device, processor, arithmetic, memory_bytes[p], results_,
                          device.lanes() + 1);
      for (std::size_t i = 0; results_.sums() && i < staging_tiles; ++i) {
        staging_.emplace_back(device.allocate_host(arithmetic.output_bytes()), Release{&device});
        nodes_.back().staging.push_back(staging_.back().get());
      }
    }
    for (auto* const counts :
         {&result_.trace.loads, &result_.trace.tasks, &result_.trace.bytes_loaded,
          &result_.trace.bytes_written, &result_.trace.evictions, &result_.peak_bytes}) {
      counts->resize(processors);
    }
    result_.trace.busy_s.resize(processors);
  }

  Execution run(const MakeDispatch& make_dispatch) {
    dispatch_ = make_dispatch(*this);
    device_.prepare(arithmetic_.kernel());
    {
      std::unique_lock lock(mutex_);
      const Threads threads(*this, lock);
      device_.start_clock();  // once the threads are there: that takes a ms where they are many
      try {
        dispatch_->start();
        wait_until_idle(lock);
        if (failure_.empty() && ended_ != workload_.tasks()) {
          throw NoProgress(fmt::format("the strategy ran {} of {} tasks and stopped", ended_,
                                       workload_.tasks()));
        }
        send_sums_home();
        wait_until_idle(lock);
      } catch (const std::exception& error) {
        fail(error.what());
      }
    }
    result_.total_s = device_.now_s();
    result_.failure = failure_;
    result_.trace.scheduling_s = dispatch_->scheduling_s();
    for (std::size_t p = 0; p < nodes_.size(); ++p) {
      result_.peak_bytes[p] = nodes_[p].memory.peak_bytes();
    }
    return std::move(result_);
  }

  // Orders of the dispatch; the lock is held.

  void granted(ProcessorId processor, TaskId task) override {
    tell(Kind::granted, processor, raw(task));
  }

  void start_load(ProcessorId processor, DataId data) override {
    node(processor).waiting_loads.push_back({data, tell(Kind::load_started, processor, raw(data))});
    queue_loads(processor);
  }

  void evict(ProcessorId processor, DataId data) override {
    tell(Kind::evicted, processor, raw(data));
    ++result_.trace.evictions[raw(processor)];
    Node& at = node(processor);
    std::byte* const slot = at.memory.forget(data);
    if (!at.memory.take_mark(data)) {
      at.memory.give_back(data, slot);
      queue_loads(processor);
      return;
    }
    at.waiting_writes.push_back(
        {Write::Of::evicted, *arithmetic_.tile_of(data), slot, data, nullptr});
    queue_writes(processor);
  }

  void start_task(ProcessorId processor, TaskId task, double) override {
    node(processor).waiting_tasks.push_back(
        {task, arithmetic_.output(task), nullptr, tell(Kind::task_started, processor, raw(task))});
    queue_tasks(processor);
  }

  void start_write(ProcessorId, TaskId) override {
    throw std::logic_error("outputs are the executor's own to send home");
  }

 private:
  struct Node {
    Node(Device& device, ProcessorId processor, const Arithmetic& arithmetic,
         std::uint64_t memory_bytes, const ResultKinds& results, std::size_t output_slots)
        : memory(device, processor, arithmetic, memory_bytes, results, output_slots),
          arrived_s(arithmetic.data(), 0) {}

    ProcessorMemory memory;
    EngineQueue<Load> loads;
    EngineQueue<Compute> tasks;
    EngineQueue<Write> writes;
    // Ordered, but without room yet: for the data, for the result, in a staging buffer.
    std::deque<Load> waiting_loads;
    std::deque<Compute> waiting_tasks;
    std::deque<Write> waiting_writes;
    std::vector<std::byte*> staging;  // free
    // When what a task waits for ended: each data's load, and the task before.
    std::vector<double> arrived_s;
    double computed_s = 0;
  };

  struct Release {
    Device* device;
    void operator()(std::byte* at) const noexcept { device->release_host(at); }
  };

  /// The engines' threads, from now on until the end of the scope.
  class Threads {
   public:
    Threads(Executor& executor, std::unique_lock<std::mutex>& lock)
        : executor_(executor), lock_(lock) {
      try {
        for (std::size_t p = 0; p < executor.nodes_.size(); ++p) {
          const ProcessorId processor{static_cast<std::uint32_t>(p)};
          threads_.emplace_back([&executor, processor] { executor.serve_loads(processor); });
          threads_.emplace_back([&executor, processor] { executor.serve_tasks(processor); });
          threads_.emplace_back([&executor, processor] { executor.serve_writes(processor); });
        }
      } catch (const std::system_error&) {
        join();
        throw DeviceError(
            fmt::format("only {} of {} threads could be started; use fewer processors",
                        threads_.size(), 3 * executor.nodes_.size()));
      }
    }
    ~Threads() { join(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

   private:
    void join() {
      executor_.stop();
      lock_.unlock();
      for (std::thread& thread : threads_) thread.join();
    }

    Executor& executor_;
    std::unique_lock<std::mutex>& lock_;
    std::vector<std::thread> threads_;
  };

  Node& node(ProcessorId processor) { return nodes_[raw(processor)]; }

  /// Notes an event at the time of what is being answered; its place among the events.
  std::size_t tell(Kind kind, ProcessorId processor, std::uint64_t id) {
    if (!options_.keep_events) return 0;
    result_.events.push_back({kind, now_s_, processor, id});
    return result_.events.size() - 1;
  }
  /// The start of what ended was ordered earlier; this is when it really began.
  void correct(std::size_t event, double begin_s) {
    if (options_.keep_events) result_.events[event].time_s = begin_s;
  }

  template <typename Item>
  void queue(EngineQueue<Item>& engine, Item item) {
    engine.queued.push_back(std::move(item));
    ++outstanding_;
    if (engine.queued.size() == 1) engine.wake.notify_one();
  }

  void queue_loads(ProcessorId processor) {
    Node& at = node(processor);
    while (!at.waiting_loads.empty()) {
      const Load load = at.waiting_loads.front();
      std::byte* const to = at.memory.take(load.data);
      if (to == nullptr) return;
      at.waiting_loads.pop_front();
      const std::size_t bytes = arithmetic_.data_bytes(load.data);
      ++result_.trace.loads[raw(processor)];
      result_.trace.bytes_loaded[raw(processor)] += bytes;
      device_.start_load(processor, to, store_.data(load.data), bytes, now_s_);
      queue(at.loads, load);
    }
  }

  void queue_tasks(ProcessorId processor) {
    Node& at = node(processor);
    while (!at.waiting_tasks.empty()) {
      Compute compute = at.waiting_tasks.front();
      if (compute.output.where == TaskOutput::Where::fresh) {
        compute.result = at.memory.take_output();
        if (compute.result == nullptr) return;
      }
      at.waiting_tasks.pop_front();
      ++result_.trace.tasks[raw(processor)];
      device_.start_task(processor, call(processor, compute));
      queue(at.tasks, compute);
    }
  }

  TaskCall call(ProcessorId processor, const Compute& compute) {
    Node& at = node(processor);
    TaskCall result{.task = compute.task, .inputs = {}, .output = compute.result};
    result.ready_s = std::max(now_s_, at.computed_s);
    std::vector<DataId> reads;
    workload_.for_each_input(compute.task, [&](DataId data) {
      reads.push_back(data);
      result.ready_s = std::max(result.ready_s, at.arrived_s[raw(data)]);
      result.inputs.push_back({at.memory.address(data), arithmetic_.data_bytes(data)});
    });
    if (compute.output.where == TaskOutput::Where::partial) {
      result.output = at.memory.sum(compute.output.tile);
      result.accumulate = at.memory.begin_sum(compute.output.tile);
    } else if (compute.output.where == TaskOutput::Where::input) {
      at.memory.mark_summed(reads[2]);
      result.output = at.memory.address(reads[2]);
      result.accumulate = true;
    }
    if (options_.time_scale > 0)
      result.paced_s = options_.time_scale * platform_s(processor, compute.task);
    return result;
  }

  /// What the task takes in the platform's time.
  double platform_s(ProcessorId processor, TaskId task) {
    if (!platform_.limits) return pace_.compute(processor, 1);
    if (!durations_) durations_.emplace(workload_, platform_);
    return durations_->s(raw(processor), static_cast<TaskGraph::Index>(raw(task)));
  }

  void queue_writes(ProcessorId processor) {
    Node& at = node(processor);
    while (!at.waiting_writes.empty()) {
      Write write = at.waiting_writes.front();
      const bool fresh = write.of == Write::Of::fresh;
      if (!fresh) {
        if (at.staging.empty()) return;
        write.staging = at.staging.back();
        at.staging.pop_back();
      }
      at.waiting_writes.pop_front();
      const std::size_t bytes = arithmetic_.output_bytes();
      (fresh ? result_.trace.bytes_written[raw(processor)] : result_.bytes_summed) += bytes;
      device_.start_write(processor, fresh ? store_.output(write.tile) : write.staging, write.from,
                          bytes, now_s_);
      queue(at.writes, write);
    }
  }

  /// All sums that are still on the processors.
  void send_sums_home() {
    if (!failure_.empty()) return;
    for (std::size_t p = 0; p < nodes_.size(); ++p) {
      Node& at = nodes_[p];
      at.memory.for_each_marked([&](DataId data) {
        at.waiting_writes.push_back(
            {Write::Of::last, *arithmetic_.tile_of(data), at.memory.address(data), data, nullptr});
      });
      at.memory.for_each_sum([&](std::uint64_t tile) {
        at.waiting_writes.push_back(
            {Write::Of::last, tile, at.memory.sum(tile), DataId{}, nullptr});
      });
      queue_writes(ProcessorId{static_cast<std::uint32_t>(p)});
    }
  }

  /// Serves an engine: waits for the device without the lock, then answers with it.
  template <typename Item, typename Finish, typename Answer>
  void serve(EngineQueue<Item>& engine, Finish&& finish, Answer&& answer) {
    std::unique_lock lock(mutex_);
    while (true) {
      engine.wake.wait(lock, [&] { return stopping_ || !engine.queued.empty(); });
      if (stopping_) return;
      const Item item = engine.queued.front();
      try {
        lock.unlock();
        const Interval when = finish(item);
        lock.lock();
        if (stopping_) return;
        engine.queued.pop_front();
        now_s_ = when.end_s;
        if (options_.time_scale > 0) {
          result_.latest_s = std::max(result_.latest_s, device_.now_s() - when.end_s);
        }
        answer(item, when);
        --outstanding_;
      } catch (const std::exception& error) {
        if (!lock.owns_lock()) lock.lock();
        fail(error.what());
        return;
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        fail("something that is no std::exception was thrown");
        return;
      }
      if (outstanding_ == 0) idle_.notify_one();
    }
  }

  void serve_loads(ProcessorId processor) {
    serve(
        node(processor).loads, [&](const Load&) { return device_.finish_load(processor); },
        [&](const Load& load, const Interval& when) {
          correct(load.event, when.begin_s);
          node(processor).arrived_s[raw(load.data)] = when.end_s;
          tell(Kind::load_ended, processor, raw(load.data));
          dispatch_->load_ended(processor, load.data);
        });
  }

  void serve_tasks(ProcessorId processor) {
    serve(
        node(processor).tasks, [&](const Compute&) { return device_.finish_task(processor); },
        [&](const Compute& compute, const Interval& when) {
          correct(compute.event, when.begin_s);
          end_task(processor, compute, when);
        });
  }

  void end_task(ProcessorId processor, const Compute& compute, const Interval& when) {
    Trace& trace = result_.trace;
    trace.busy_s[raw(processor)] += when.end_s - when.begin_s;
    trace.makespan_s = std::max(trace.makespan_s, when.end_s);
    node(processor).computed_s = when.end_s;
    ++ended_;
    tell(Kind::task_ended, processor, raw(compute.task));
    if (compute.result != nullptr) {
      node(processor).waiting_writes.push_back(
          {Write::Of::fresh, compute.output.tile, compute.result, DataId{}, nullptr});
      queue_writes(processor);
    }
    dispatch_->task_ended(processor, compute.task);
  }

  void serve_writes(ProcessorId processor) {
    serve(
        node(processor).writes,
        [&](const Write& write) {
          const Interval when = device_.finish_write(processor);
          if (write.staging != nullptr) store_.add(write.tile, write.staging);
          return when;
        },
        [&](const Write& write, const Interval& when) {
          if (options_.writes_count) {
            result_.trace.makespan_s = std::max(result_.trace.makespan_s, when.end_s);
          }
          end_write(processor, write);
        });
  }

  void end_write(ProcessorId processor, const Write& write) {
    Node& at = node(processor);
    if (write.staging != nullptr) at.staging.push_back(write.staging);
    if (write.of == Write::Of::fresh) {
      store_.arrived(write.tile);
      at.memory.give_back_output(write.from);
    } else if (write.of == Write::Of::evicted) {
      at.memory.give_back(write.data, write.from);
    }
    queue_writes(processor);
    queue_loads(processor);
    queue_tasks(processor);
  }

  void wait_until_idle(std::unique_lock<std::mutex>& lock) {
    while (outstanding_ > 0 && failure_.empty()) {
      // The system's clock: waits on the steady one are hidden from GCC 12's thread sanitizer.
      idle_.wait_until(lock, std::chrono::system_clock::now() + glance);
      if (options_.interrupted != nullptr && options_.interrupted->load()) fail("interrupted");
    }
  }

  /// The first failure ends the run. The lock is held.
  void fail(const std::string& why) {
    if (failure_.empty()) failure_ = why;
    stop();
  }

  void stop() {
    stopping_ = true;
    if (!failure_.empty()) device_.cancel();
    for (Node& at : nodes_) {
      at.loads.wake.notify_one();
      at.tasks.wake.notify_one();
      at.writes.wake.notify_one();
    }
    idle_.notify_one();
  }

  const Workload& workload_;
  const Platform& platform_;
  std::optional<Durations> durations_;  // with limits, once it is asked for
  const Arithmetic& arithmetic_;
  Store& store_;
  Device& device_;
  const ExecutorOptions& options_;
  SpeedClock pace_;
  ResultKinds results_;
  std::deque<Node> nodes_;
  std::vector<std::unique_ptr<std::byte, Release>> staging_;  // all of it
  std::unique_ptr<Dispatch> dispatch_;

  std::mutex mutex_;  // of all that follows, of nodes_ and of the dispatch
  std::condition_variable idle_;
  Execution result_;
  std::string failure_;
  double now_s_ = 0;  // end of what is being answered
  std::size_t outstanding_ = 0;
  std::uint64_t ended_ = 0;
  bool stopping_ = false;
};

}  // namespace

Execution execute(const Workload& workload, const Platform& platform, const Arithmetic& arithmetic,
                  Store& store, Device& device, const std::vector<std::uint64_t>& memory_bytes,
                  const MakeDispatch& make_dispatch, const ExecutorOptions& options) {
  Executor executor(workload, platform, arithmetic, store, device, memory_bytes, options);
  return executor.run(make_dispatch);
}

}  // namespace damocles
