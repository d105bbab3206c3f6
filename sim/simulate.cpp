#include "sim/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/error.hpp"
#include "models/host_memory.hpp"
#include "models/platforms/speed_clock.hpp"
#include "sim/event_queue.hpp"
#include "sim/limited_run.hpp"
#include "strategies/parts/send_missing.hpp"

namespace damocles {
namespace {

/// Carries out grants: moves data, counts, and tells for how long a processor is busy.
class Run {
 public:
  Run(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
      std::uint64_t seed, std::uint64_t replicate, const Observer& observer, const Watcher& watcher)
      : workload_(workload),
        tasks_only_(strategy.entry->tasks_only),
        memory_(platform.processors(), workload.data()),
        clock_(platform, seed, replicate),
        strategy_(strategy.make(
            {workload, platform, memory_, strategy.spec, Rng(seed, Draw::strategy, replicate)})),
        observer_(observer),
        watcher_(watcher) {
    trace_.loads.resize(platform.processors());
    trace_.tasks.resize(platform.processors());
    trace_.busy_s.resize(platform.processors());
  }

  /// Lets the processor ask until it has a task or nothing is left for it; the time it computes, 0
  /// if it got nothing.
  double serve(ProcessorId processor, double now) {
    const std::size_t p = raw(processor);
    do {
      grant_.clear();
      strategy_->request(processor, grant_);
      if (tasks_only_) load_missing(workload_, memory_, processor, grant_);
      for (const DataId data : grant_.loads) {
        if (!memory_.load(processor, data)) {
          throw NoProgress(fmt::format("data {} is sent to processor {} twice", raw(data), p));
        }
      }
      trace_.loads[p] += grant_.loads.size();
      if (observer_) observer_(now, processor, grant_);
      if (watcher_) tell_grant(processor, now);
    } while (grant_.tasks.empty() && !grant_.loads.empty());
    if (grant_.tasks.empty()) return 0;
    const double busy = watcher_ ? compute_and_tell(processor, now)
                                 : clock_.compute(processor, grant_.tasks.size());
    trace_.tasks[p] += grant_.tasks.size();
    trace_.busy_s[p] += busy;
    trace_.makespan_s = std::max(trace_.makespan_s, now + busy);
    return busy;
  }

  Trace finish(std::uint64_t tasks) {
    const auto done = std::accumulate(trace_.tasks.begin(), trace_.tasks.end(), std::uint64_t{0});
    if (done != tasks) {
      throw NoProgress(fmt::format("the strategy granted {} of {} tasks and stopped", done, tasks));
    }
    return std::move(trace_);
  }

 private:
  void tell_grant(ProcessorId processor, double now) const {
    using enum RunEvent::Kind;
    grant_.tasks.for_each([&](TaskId task) { watcher_({granted, now, processor, raw(task)}); });
    for (const DataId data : grant_.loads) {
      watcher_({load_started, now, processor, raw(data)});
      watcher_({load_ended, now, processor, raw(data)});
    }
  }

  /// The time the granted tasks take, each of them told of.
  double compute_and_tell(ProcessorId processor, double now) {
    using enum RunEvent::Kind;
    std::vector<double> ends;
    const double busy = clock_.compute(processor, grant_.tasks.size(),
                                       [&](double end) { ends.push_back(now + end); });
    double start = now;
    std::size_t next = 0;
    grant_.tasks.for_each([&](TaskId task) {
      watcher_({task_started, start, processor, raw(task)});
      start = ends[next++];
      watcher_({task_ended, start, processor, raw(task)});
    });
    return busy;
  }

  const Workload& workload_;
  bool tasks_only_;
  NodeMemory memory_;
  SpeedClock clock_;
  std::unique_ptr<Strategy> strategy_;
  const Observer& observer_;
  const Watcher& watcher_;
  Grant grant_;
  Trace trace_;
};

}  // namespace

Trace simulate(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
               std::uint64_t seed, std::uint64_t replicate, const Observer& observer,
               const Watcher& watcher) {
  if (platform.limits) {
    return simulate_limited(workload, platform, strategy, seed, replicate, watcher);
  }
  workload.refuse_dependencies();
  // A bit a data and processor, in words: NodeMemory.
  const std::size_t bytes_a_data = (platform.processors() + 63) / 64 * 8;
  const MemoryPromise promise(
      static_cast<double>(bytes_a_data) * static_cast<double>(workload.data()),
      MemoryPromise::Others::wait_for);
  Run run(workload, platform, strategy, seed, replicate, observer, watcher);
  EventQueue idle(platform.processors());
  const auto serve = [&](ProcessorId processor, double now) {
    const double busy = run.serve(processor, now);
    busy > 0 ? idle.set(processor, now + busy) : idle.remove(processor);
  };

  std::vector<ProcessorId> start(platform.processors());
  for (std::size_t p = 0; p < start.size(); ++p)
    start[p] = ProcessorId{static_cast<std::uint32_t>(p)};
  Rng(seed, Draw::start_order, replicate).shuffle(std::span(start));
  for (const ProcessorId processor : start) serve(processor, 0);
  while (!idle.empty()) serve(idle.next(), idle.next_time());
  return run.finish(workload.tasks());
}

}  // namespace damocles
