#include "sim/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/error.hpp"
#include "sim/event_queue.hpp"
#include "sim/limited_run.hpp"

namespace damocles {
namespace {

/// Speeds as they are now: fixed, or drifting after each task (dyn.x scenarios).
class Clock {
 public:
  Clock(const Platform& platform, std::uint64_t seed, std::uint64_t replicate)
      : speeds_(platform.speeds), drift_(platform.drift) {
    if (drift_ == 0) return;
    for (std::size_t p = 0; p < speeds_.size(); ++p) {
      rngs_.emplace_back(seed, Draw::drift, replicate, p);
    }
  }

  /// Time [s] the processor takes for `tasks` tasks in a row.
  double compute(ProcessorId processor, std::uint64_t tasks) {
    double& speed = speeds_[raw(processor)];
    if (drift_ == 0) return static_cast<double>(tasks) / speed;
    Rng& rng = rngs_[raw(processor)];
    double time = 0;
    for (std::uint64_t task = 0; task < tasks; ++task) {
      time += 1 / speed;
      speed = std::max(1.0, speed * (1 + drift_ * (2 * rng.uniform() - 1)));
    }
    return time;
  }

 private:
  std::vector<double> speeds_;
  double drift_;
  std::vector<Rng> rngs_;
};

/// Carries out grants: moves data, counts, and tells for how long a processor is busy.
class Run {
 public:
  Run(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
      std::uint64_t seed, std::uint64_t replicate, const Observer& observer)
      : workload_(workload),
        tasks_only_(strategy.entry->tasks_only),
        memory_(platform.processors(), workload.data()),
        clock_(platform, seed, replicate),
        strategy_(strategy.make(
            {workload, platform, memory_, strategy.spec, Rng(seed, Draw::strategy, replicate)})),
        observer_(observer) {
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
      if (tasks_only_) add_missing(processor);
      for (const DataId data : grant_.loads) {
        if (!memory_.load(processor, data)) {
          throw NoProgress(fmt::format("data {} is sent to processor {} twice", raw(data), p));
        }
      }
      trace_.loads[p] += grant_.loads.size();
      if (observer_) observer_(now, processor, grant_);
    } while (grant_.tasks.empty() && !grant_.loads.empty());
    if (grant_.tasks.empty()) return 0;
    const double busy = clock_.compute(processor, grant_.tasks.size());
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
  /// The inputs of the granted tasks that the processor lacks, each once.
  void add_missing(ProcessorId processor) {
    grant_.loads.clear();
    grant_.tasks.for_each([&](TaskId task) {
      workload_.for_each_input(task, [&](DataId data) {
        if (memory_.resident(processor, data)) return;
        if (std::find(grant_.loads.begin(), grant_.loads.end(), data) == grant_.loads.end()) {
          grant_.loads.push_back(data);
        }
      });
    });
  }

  const Workload& workload_;
  bool tasks_only_;
  NodeMemory memory_;
  Clock clock_;
  std::unique_ptr<Strategy> strategy_;
  const Observer& observer_;
  Grant grant_;
  Trace trace_;
};

}  // namespace

Trace simulate(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
               std::uint64_t seed, std::uint64_t replicate, const Observer& observer) {
  if (platform.limits) return simulate_limited(workload, platform, strategy, seed, replicate);
  workload.refuse_dependencies();
  Run run(workload, platform, strategy, seed, replicate, observer);
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
