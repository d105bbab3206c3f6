#include "sim/unlimited_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/error.hpp"
#include "models/host_memory.hpp"
#include "models/platforms/speed_clock.hpp"
#include "sim/event_queue.hpp"
#include "sim/run_share.hpp"
#include "strategies/runtime/unlimited_grants.hpp"

namespace damocles {
namespace {

/// Carries out grants: moves data, counts, and tells for how long a processor is busy.
class UnlimitedRun {
 public:
  UnlimitedRun(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
               std::uint64_t seed, std::uint64_t replicate, const Observer& observer,
               const Watcher& watcher)
      : clock_(platform, seed, replicate),
        grants_(workload, platform, strategy, seed, replicate),
        observer_(observer),
        watcher_(watcher) {
    if (share_ != nullptr) share_->begin(workload.tasks());
    trace_.loads.resize(platform.processors());
    trace_.tasks.resize(platform.processors());
    trace_.busy_s.resize(platform.processors());
  }

  /// Lets the processor ask until it has a task or nothing is left for it; the time it computes, 0
  /// if it got nothing.
  double serve(ProcessorId processor, double now) {
    const std::size_t p = raw(processor);
    const auto untimed = [](auto&& question) { question(); };
    const Grant& last = grants_.ask(processor, untimed, [&](const Grant& grant) {
      trace_.loads[p] += grant.loads.size();
      if (observer_) observer_(now, processor, grant);
      if (watcher_) tell_grant(processor, now, grant);
    });
    if (last.tasks.empty()) return 0;
    const double busy = watcher_ ? compute_and_tell(processor, now, last.tasks)
                                 : clock_.compute(processor, last.tasks.size());
    trace_.tasks[p] += last.tasks.size();
    ended_ += last.tasks.size();
    if (share_ != nullptr) share_->ended(ended_);
    trace_.busy_s[p] += busy;
    trace_.makespan_s = std::max(trace_.makespan_s, now + busy);
    return busy;
  }

  [[nodiscard]] const std::vector<ProcessorId>& start_order() const {
    return grants_.start_order();
  }

  Trace finish(std::uint64_t tasks) {
    const auto done = std::accumulate(trace_.tasks.begin(), trace_.tasks.end(), std::uint64_t{0});
    if (done != tasks) {
      throw NoProgress(fmt::format("the strategy granted {} of {} tasks and stopped", done, tasks));
    }
    return std::move(trace_);
  }

 private:
  void tell_grant(ProcessorId processor, double now, const Grant& grant) const {
    using enum RunEvent::Kind;
    grant.tasks.for_each([&](TaskId task) { watcher_({granted, now, processor, raw(task)}); });
    for (const DataId data : grant.loads) {
      watcher_({load_started, now, processor, raw(data)});
      watcher_({load_ended, now, processor, raw(data)});
    }
  }

  /// The time the granted tasks take, each of them told of.
  double compute_and_tell(ProcessorId processor, double now, const TaskList& tasks) {
    using enum RunEvent::Kind;
    std::vector<double> ends;
    const double busy =
        clock_.compute(processor, tasks.size(), [&](double end) { ends.push_back(now + end); });
    double start = now;
    std::size_t next = 0;
    tasks.for_each([&](TaskId task) {
      watcher_({task_started, start, processor, raw(task)});
      start = ends[next++];
      watcher_({task_ended, start, processor, raw(task)});
    });
    return busy;
  }

  SpeedClock clock_;
  UnlimitedGrants grants_;
  const Observer& observer_;
  const Watcher& watcher_;
  Trace trace_;
  std::uint64_t ended_ = 0;
  RunShare* share_ = RunShare::of_this_thread();
};

}  // namespace

Trace simulate_unlimited(const Workload& workload, const Platform& platform,
                         const StrategyChoice& strategy, std::uint64_t seed,
                         std::uint64_t replicate, const Observer& observer,
                         const Watcher& watcher) {
  workload.refuse_dependencies();
  // A bit a data item and processor, in words: NodeMemory.
  const std::size_t bytes_a_data = (platform.processors() + 63) / 64 * 8;
  const MemoryPromise promise(
      static_cast<double>(bytes_a_data) * static_cast<double>(workload.data()),
      MemoryPromise::Others::wait_for);
  UnlimitedRun run(workload, platform, strategy, seed, replicate, observer, watcher);
  EventQueue idle(platform.processors());
  const auto serve = [&](ProcessorId processor, double now) {
    const double busy = run.serve(processor, now);
    busy > 0 ? idle.set(processor, now + busy) : idle.remove(processor);
  };

  for (const ProcessorId processor : run.start_order()) serve(processor, 0);
  while (!idle.empty()) serve(idle.next(), idle.next_time());
  return run.finish(workload.tasks());
}

}  // namespace damocles
