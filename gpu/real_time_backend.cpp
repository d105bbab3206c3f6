#include "gpu/real_time_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>

#include "models/error.hpp"

namespace damocles {
namespace {

/// How often the main thread looks whether the run was interrupted.
constexpr std::chrono::milliseconds glance{50};
/// Tiles of sums on their way to host memory at once, a processor.
constexpr std::size_t staging_tiles = 2;

/// Of results, those that a processor which computes in host memory keeps beside it: its sums.
ResultKinds kept_in_host_memory(const ResultKinds& results) { return {.partial = results.sums()}; }

bool has_reductions(const Workload& workload) {
  return workload.writes() && workload.graph().reduces();
}

/// What the largest sum takes, of a tile or of data; 0 where there are none.
std::size_t staging_bytes(const Workload& workload, const ResultKinds& results,
                          const Arithmetic& arithmetic) {
  if (results.sums()) return arithmetic.output_bytes();
  std::size_t most = 0;
  for (std::uint64_t data = 0; has_reductions(workload) && data < arithmetic.data(); ++data) {
    most = std::max(most, arithmetic.data_bytes(DataId{data}));
  }
  return most;
}

}  // namespace

/// The engines' threads, from now on until the end of the scope.
class RealTimeBackend::Threads {
 public:
  Threads(RealTimeBackend& backend, std::unique_lock<std::mutex>& lock)
      : backend_(backend), lock_(lock) {
    try {
      for (std::size_t p = 0; p < backend.nodes_.size(); ++p) {
        const ProcessorId processor{static_cast<std::uint32_t>(p)};
        threads_.emplace_back([&backend, processor] { backend.serve_loads(processor); });
        threads_.emplace_back([&backend, processor] { backend.serve_tasks(processor); });
        threads_.emplace_back([&backend, processor] { backend.serve_writes(processor); });
        if (!backend.has_links()) continue;
        threads_.emplace_back([&backend, processor] { backend.serve_peer_loads(processor); });
      }
    } catch (const std::system_error&) {
      join();
      throw DeviceError(fmt::format("only {} of {} threads could be started; use fewer processors",
                                    threads_.size(),
                                    (backend.has_links() ? 4 : 3) * backend.nodes_.size()));
    }
  }
  ~Threads() { join(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  void join() {
    backend_.stop();
    lock_.unlock();
    for (std::thread& thread : threads_) thread.join();
  }

  RealTimeBackend& backend_;
  std::unique_lock<std::mutex>& lock_;
  std::vector<std::thread> threads_;
};

RealTimeBackend::RealTimeBackend(const Workload& workload, const Platform& platform,
                                 const Arithmetic& arithmetic, Store& store, Device& device,
                                 const std::vector<std::uint64_t>& memory_bytes,
                                 const ExecutorOptions& options)
    : workload_(workload),
      platform_(platform),
      arithmetic_(arithmetic),
      store_(store),
      device_(device),
      options_(options),
      pace_(platform, options.seed, options.replicate),
      teams_(workload, platform),
      results_(kinds_of_results(arithmetic)),
      causes_(device.processors(), arithmetic.data(), workload.writes(), result_.trace) {
  const std::size_t processors = device.processors();
  const std::size_t named = platform.machine ? platform.machine->output_places : 0;
  // One result more than tasks at once, so that the next task finds room.
  const std::size_t places = named > 0 ? named : device.lanes() + 1;
  for (std::size_t p = 0; p < processors; ++p) {
    const ProcessorId processor{static_cast<std::uint32_t>(p)};
    const bool home = in_host_memory(processor);
    nodes_.emplace_back(device, processor, arithmetic, home ? 0 : memory_bytes[p],
                        home ? kept_in_host_memory(results_) : results_, places);
    const std::size_t bytes = staging_bytes(workload, results_, arithmetic);
    for (std::size_t i = 0; bytes > 0 && !(home && workload.writes()) && i < staging_tiles; ++i) {
      staging_.emplace_back(device.allocate_host(bytes), Release{&device});
      nodes_.back().staging.push_back(staging_.back().get());
    }
    if (has_reductions(workload)) nodes_.back().sums.assign(workload.data(), Sum::none);
  }
  if (workload.writes()) home_.emplace(workload.data());
  for (auto* const counts :
       {&result_.trace.loads, &result_.trace.tasks, &result_.trace.bytes_loaded,
        &result_.trace.bytes_written, &result_.peak_bytes}) {
    counts->resize(processors);
  }
  if (has_links()) result_.trace.loads_from_peers.resize(processors);
  result_.trace.busy_s.resize(processors);
}

Execution RealTimeBackend::run(const MakeRuntime& make_runtime) {
  runtime_ = make_runtime(*this);
  device_.prepare(arithmetic_.kernel());
  {
    std::unique_lock lock(mutex_);
    const Threads threads(*this, lock);
    device_.start_clock();  // once the threads are there: that takes a ms where they are many
    try {
      runtime_->start();
      wait_until_idle(lock);
      if (failure_.empty() && ended_ != workload_.tasks()) {
        throw NoProgress(
            fmt::format("the strategy ran {} of {} tasks and stopped", ended_, workload_.tasks()));
      }
      send_results_home();
      wait_until_idle(lock);
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }
  result_.total_s = device_.now_s();
  result_.failure = failure_;
  result_.trace.planned_makespan_s = runtime_->planned_makespan_s();
  result_.trace.scheduling_s = runtime_->scheduling_s();
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    result_.peak_bytes[p] = nodes_[p].memory.peak_bytes();
  }
  return std::move(result_);
}

void RealTimeBackend::granted(ProcessorId processor, TaskId task) {
  tell(Kind::granted, processor, raw(task));
}

void RealTimeBackend::start_load(ProcessorId processor, DataId data) {
  order_load(processor, data, std::nullopt);
}

/// A tile of C to which tasks add is on each processor a sum of its own, which begins with the
/// zeros that host memory has.
void RealTimeBackend::start_peer_load(ProcessorId from, ProcessorId to, DataId data) {
  if (results_.input && arithmetic_.tile_of(data)) return start_load(to, data);
  order_load(to, data, from);
}

void RealTimeBackend::order_load(ProcessorId processor, DataId data,
                                 std::optional<ProcessorId> lender) {
  const std::size_t event = tell({.kind = Kind::load_started,
                                  .time_s = now_s_,
                                  .processor = processor,
                                  .id = raw(data),
                                  .lender = lender});
  node(processor).waiting_loads.push_back({data, event, lender});
  queue_loads(processor);
}

void RealTimeBackend::evict(ProcessorId processor, DataId data) {
  tell(Kind::evicted, processor, raw(data));
  causes_.evict(processor, data, result_.trace);
  Node& at = node(processor);
  std::byte* const slot = at.memory.forget(data);
  if (!at.memory.take_mark(data)) {
    at.memory.give_back(data, slot);
    queue_loads(processor);
    return;
  }
  at.waiting_writes.push_back({.of = Write::Of::evicted_sum,
                               .tile = *arithmetic_.tile_of(data),
                               .from = slot,
                               .data = data});
  queue_writes(processor);
}

void RealTimeBackend::invalidate(ProcessorId processor, DataId data) {
  tell({.kind = Kind::evicted,
        .time_s = now_s_,
        .processor = processor,
        .id = raw(data),
        .overwritten = true});
  causes_.invalidate(processor, data, result_.trace);
  Node& at = node(processor);
  at.memory.give_back(data, at.memory.forget(data));
  queue_loads(processor);
}

void RealTimeBackend::create(ProcessorId processor, DataId data) {
  tell(Kind::created, processor, raw(data));
  if (node(processor).memory.take(data) != nullptr) return;
  throw std::logic_error("a task writes data for which its processor has no room");
}

void RealTimeBackend::join(ProcessorId helper, TaskId) { teams_.join(helper); }

void RealTimeBackend::start_task(ProcessorId processor, TaskId task, double) {
  teams_.start(processor, task, [&](ProcessorId other) {
    const Node& at = node(other);
    if (!at.tasks.queued.empty()) return std::optional(at.tasks.queued.front().task);
    return at.waiting_tasks.empty() ? std::nullopt : std::optional(at.waiting_tasks.front().task);
  });
  Compute compute{.task = task, .output = arithmetic_.output(task)};
  const auto& helpers = teams_.helpers(task);
  if (!helpers.empty()) {
    compute.together = std::make_shared<Together>();
    compute.together->primary = processor;
    compute.together->left = 1 + helpers.size();
    for (const ProcessorId helper : helpers) {
      compute.together->joins.push_back(tell(Kind::joined, helper, raw(task)));
    }
  }
  compute.event = tell(Kind::task_started, processor, raw(task));
  node(processor).waiting_tasks.push_back(std::move(compute));
  queue_tasks(processor);
}

std::size_t RealTimeBackend::tell(const RunEvent& event) {
  if (!options_.keep_events) return 0;
  result_.events.push_back(event);
  return result_.events.size() - 1;
}

void RealTimeBackend::correct(std::size_t event, double begin_s) {
  if (options_.keep_events) result_.events[event].time_s = begin_s;
}

void RealTimeBackend::queue_loads(ProcessorId processor) {
  Node& at = node(processor);
  while (!at.waiting_loads.empty()) {
    const Load load = at.waiting_loads.front();
    std::byte* const to = at.memory.take(load.data);
    if (to == nullptr) return;
    at.waiting_loads.pop_front();
    start_on_device(processor, load, to);
  }
}

void RealTimeBackend::start_on_device(ProcessorId processor, const Load& load, std::byte* to) {
  Node& at = node(processor);
  const std::size_t bytes = arithmetic_.data_bytes(load.data);
  ++result_.trace.loads[raw(processor)];
  result_.trace.bytes_loaded[raw(processor)] += bytes;
  causes_.load(processor, load.data, result_.trace);
  if (load.lender) {
    ++result_.trace.loads_from_peers[raw(processor)];
    device_.start_peer_load(*load.lender, processor, to,
                            node(*load.lender).memory.address(load.data), bytes, now_s_);
    return queue(at.peer_loads, load);
  }
  if (home_) home_->load_begins(load.data);
  device_.start_load(processor, to, store_.data(load.data), bytes, now_s_);
  queue(at.loads, load);
}

void RealTimeBackend::queue_tasks(ProcessorId processor) {
  Node& at = node(processor);
  while (!at.waiting_tasks.empty()) {
    Compute& oldest = at.waiting_tasks.front();
    if (oldest.output.where == TaskOutput::Where::fresh) {
      oldest.result =
          in_host_memory(processor) ? store_.output(oldest.output.tile) : at.memory.take_output();
      if (oldest.result == nullptr) return;
    }
    Compute compute = std::move(oldest);
    at.waiting_tasks.pop_front();
    ++result_.trace.tasks[raw(processor)];
    if (compute.together) {
      start_together(call(processor, compute), compute);
      continue;
    }
    device_.start_task(processor, call(processor, compute));
    queue(at.tasks, std::move(compute));
  }
}

/// A part on each of those that compute the task, from when all of them can.
void RealTimeBackend::start_together(const TaskCall& call, const Compute& compute) {
  std::vector<ProcessorId> team{compute.together->primary};
  const auto& helpers = teams_.helpers(compute.task);
  team.insert(team.end(), helpers.begin(), helpers.end());
  TaskCall part = call;
  part.parts = team.size();
  part.fold = std::make_shared<PartsOfFold>();
  for (const ProcessorId member : team) {
    part.ready_s = std::max(part.ready_s, node(member).computed_s);
  }
  for (part.part = 0; part.part < part.parts; ++part.part) {
    device_.start_task(team[part.part], part);
    queue(node(team[part.part]).tasks, compute);
  }
}

TaskCall RealTimeBackend::call(ProcessorId processor, const Compute& compute) {
  Node& at = node(processor);
  TaskCall result{.task = compute.task, .inputs = {}, .written = {}, .output = compute.result};
  result.ready_s = std::max(now_s_, at.computed_s);
  reads_.clear();
  arithmetic_.for_each_read(compute.task, [&](DataId data) {
    reads_.push_back(data);
    result.ready_s = std::max(result.ready_s, at.arrived_s[raw(data)]);
    const std::byte* const from =
        in_host_memory(processor) ? store_.data(data) : at.memory.address(data);
    result.inputs.push_back({from, arithmetic_.data_bytes(data)});
  });
  const bool adds = compute.output.where == TaskOutput::Where::input;
  if (compute.output.where == TaskOutput::Where::partial || (adds && in_host_memory(processor))) {
    // In host memory too: others begin theirs with the zeros that lie there.
    const std::uint64_t tile = adds ? *arithmetic_.tile_of(reads_[2]) : compute.output.tile;
    result.output = at.memory.sum(tile);
    result.accumulate = at.memory.begin_sum(tile);
  } else if (compute.output.where == TaskOutput::Where::input) {
    at.memory.mark_summed(reads_[2]);
    result.output = at.memory.address(reads_[2]);
    result.accumulate = true;
  }
  if (home_) add_written(processor, compute.task, result);
  if (options_.time_scale > 0) {
    result.paced_s = options_.time_scale * platform_s(processor, compute.task);
  }
  return result;
}

/// What the task takes in the platform's time.
double RealTimeBackend::platform_s(ProcessorId processor, TaskId task) {
  if (!platform_.machine) return pace_.compute(processor, 1);
  if (!durations_) durations_.emplace(workload_, platform_);
  return durations_->s(raw(processor), static_cast<TaskGraph::Index>(raw(task)),
                       1 + teams_.helpers(task).size());
}

/// Serves an engine: waits for the device without the lock, then answers with it.
template <typename Item, typename Finish, typename Answer>
void RealTimeBackend::serve(EngineQueue<Item>& engine, Finish&& finish, Answer&& answer) {
  std::unique_lock lock(mutex_);
  while (true) {
    engine.wake.wait(lock, [&] { return stopping_ || !engine.queued.empty(); });
    if (stopping_) return;
    // Others only append to the queue meanwhile, which leaves its first item in place.
    Item& oldest = engine.queued.front();
    try {
      lock.unlock();
      const Interval when = finish(oldest);
      lock.lock();
      if (stopping_) return;
      const Item item = std::move(oldest);
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

void RealTimeBackend::serve_loads(ProcessorId processor) {
  serve(
      node(processor).loads, [&](const Load&) { return device_.finish_load(processor); },
      [&](const Load& load, const Interval& when) { end_load(processor, load, when); });
}

void RealTimeBackend::serve_peer_loads(ProcessorId processor) {
  serve(
      node(processor).peer_loads, [&](const Load&) { return device_.finish_peer_load(processor); },
      [&](const Load& load, const Interval& when) { end_load(processor, load, when); });
}

void RealTimeBackend::serve_tasks(ProcessorId processor) {
  serve(
      node(processor).tasks, [&](const Compute&) { return device_.finish_task(processor); },
      [&](const Compute& compute, const Interval& when) { end_task(processor, compute, when); });
}

void RealTimeBackend::serve_writes(ProcessorId processor) {
  serve(
      node(processor).writes,
      [&](const Write& write) {
        const Interval when = device_.finish_write(processor);
        if (write.reduced) {
          store_.add_words(write.data, write.staging);
        } else if (write.staging != nullptr) {
          store_.add(write.tile, write.staging);
        }
        return when;
      },
      [&](const Write& write, const Interval& when) { end_write(processor, write, when); });
}

void RealTimeBackend::end_load(ProcessorId processor, const Load& load, const Interval& when) {
  correct(load.event, when.begin_s);
  node(processor).arrived_s[raw(load.data)] = when.end_s;
  tell(Kind::load_ended, processor, raw(load.data));
  if (home_ && !load.lender && home_->load_ended(load.data)) queue_returns();
  runtime_->load_ended(processor, load.data);
}

/// Whether a part of the task that ended is not the last. Else `when` becomes that of them all.
bool RealTimeBackend::others_compute(const Compute& compute, Interval& when) {
  Together& together = *compute.together;
  const bool first = together.left == 1 + together.joins.size();
  if (!first) {
    when.begin_s = std::min(when.begin_s, together.when.begin_s);
    when.end_s = std::max(when.end_s, together.when.end_s);
  }
  together.when = when;
  if (--together.left > 0) return true;
  now_s_ = when.end_s;
  for (const std::size_t join : together.joins) correct(join, when.begin_s);
  return false;
}

void RealTimeBackend::end_task(ProcessorId processor, const Compute& compute, Interval when) {
  Trace& trace = result_.trace;
  trace.busy_s[raw(processor)] += when.end_s - when.begin_s;
  node(processor).computed_s = when.end_s;
  if (compute.together) {
    if (others_compute(compute, when)) return;
    processor = compute.together->primary;
  }
  correct(compute.event, when.begin_s);
  trace.makespan_s = std::max(trace.makespan_s, when.end_s);
  ++ended_;
  tell(Kind::task_ended, processor, raw(compute.task));
  for (const ProcessorId helper : teams_.helpers(compute.task)) {
    tell(Kind::left, helper, raw(compute.task));
  }
  teams_.end(compute.task);
  if (compute.result != nullptr && in_host_memory(processor)) {
    store_.arrived(compute.output.tile);
  } else if (compute.result != nullptr) {
    node(processor).waiting_writes.push_back(
        {.of = Write::Of::fresh, .tile = compute.output.tile, .from = compute.result});
    queue_writes(processor);
  }
  runtime_->task_ended(processor, compute.task);
}

void RealTimeBackend::wait_until_idle(std::unique_lock<std::mutex>& lock) {
  while (outstanding_ > 0 && failure_.empty()) {
    // The system's clock: waits on the steady one are hidden from GCC 12's thread sanitizer.
    idle_.wait_until(lock, std::chrono::system_clock::now() + glance);
    if (options_.interrupted != nullptr && options_.interrupted->load()) fail("interrupted");
  }
}

/// The first failure ends the run. The lock is held.
void RealTimeBackend::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  stop();
}

void RealTimeBackend::stop() {
  stopping_ = true;
  if (!failure_.empty()) device_.cancel();
  for (Node& at : nodes_) {
    at.loads.wake.notify_one();
    at.peer_loads.wake.notify_one();
    at.tasks.wake.notify_one();
    at.writes.wake.notify_one();
  }
  idle_.notify_one();
}

}  // namespace damocles
