#include "experiments/explain/idle_time.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "experiments/traces/timeline.hpp"
#include "models/platforms/memory_limits.hpp"

namespace damocles {
namespace {

/// How many tasks were ready and had not started, as a step function of time.
class OpenTaskCount {
 public:
  explicit OpenTaskCount(const RunSchedule& run) {
    std::vector<std::pair<double, int>> changes;
    for (std::size_t task = 0; task < run.ready.size(); ++task) {
      changes.emplace_back(run.ready[task].time_s, 1);
      changes.emplace_back(run.span_of[task].start_s, -1);
      last_start_s_ = std::max(last_start_s_, run.span_of[task].start_s);
    }
    std::sort(changes.begin(), changes.end());
    std::int64_t open = 0;
    for (const auto& [time_s, change] : changes) {
      open += change;
      if (!steps_.empty() && steps_.back().first == time_s) {
        steps_.back().second = open;
      } else {
        steps_.emplace_back(time_s, open);
      }
    }
  }

  [[nodiscard]] bool any_at(double time_s) const {
    const auto after = next(time_s);
    return after != steps_.begin() && (after - 1)->second > 0;
  }
  [[nodiscard]] double last_start_s() const { return last_start_s_; }
  /// Calls visit(until_s, any) for each piece of [from_s, to_s] in which it does not change.
  template <typename Visit>
  void for_each_piece(double from_s, double to_s, Visit&& visit) const {
    auto after = next(from_s);
    while (from_s < to_s) {
      const bool any = after != steps_.begin() && (after - 1)->second > 0;
      const double until = after == steps_.end() ? to_s : std::min(to_s, after->first);
      visit(until - from_s, any);
      from_s = until;
      if (after != steps_.end()) ++after;
    }
  }

 private:
  using Steps = std::vector<std::pair<double, std::int64_t>>;
  [[nodiscard]] Steps::const_iterator next(double time_s) const {
    return std::upper_bound(steps_.begin(), steps_.end(), time_s,
                            [](double time, const auto& step) { return time < step.first; });
  }
  Steps steps_;
  double last_start_s_ = 0;
};

/// Times in order: whether one lies within an interval.
bool any_within(const std::vector<double>& times, double from_s, double to_s) {
  const auto first = std::lower_bound(times.begin(), times.end(), from_s);
  return first != times.end() && *first <= to_s;
}

class IdleTime {
 public:
  IdleTime(const std::vector<RunEvent>& events, const RunSchedule& run)
      : run_(run),
        graph_(run.graph()),
        eps_(run.tolerance_s()),
        open_(run),
        copying_(run.tasks.size()),
        without_work_(run.tasks.size()),
        returns_by_(run.tasks.size()) {
    const auto& machine = run.platform->machine;
    if (machine) memory_ = memory_bytes(*machine, *run.workload);
    decisions_cost_ = machine && machine->decision_s > 0;
    writes_back_ = machine && ((machine->write_back && machine->outputs_take_memory) ||
                               machine->output_places > 0);
    const auto lines = timeline(events, run.tasks.size(), run.makespan_s);
    for (std::size_t p = 0; p < lines.size(); ++p) {
      for (const Wait& wait : lines[p].waits) {
        if (wait.reason == WaitReason::work) without_work_[p].push_back(wait);
      }
      copying_[p] = host_copies(run.loads[p]);
    }
    for (const ReturnSpan& one : run.returns) {
      returns_by_[one.processor].push_back(one.end_s);
      returns_of_[one.data].push_back(one.end_s);
    }
  }

  IdleShares of(std::size_t processor) {
    p_ = processor;
    shares_ = {};
    now_ = 0;
    const auto& own = run_.tasks[processor];
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (own[k].start_s > now_ + eps_) cut_gap(own[k], k > 0 ? &own[k - 1] : nullptr);
      now_ = own[k].end_s;
    }
    after_last_task();
    return shares_;
  }

 private:
  using Intervals = std::vector<std::pair<double, double>>;

  void give(IdleReason reason, double until_s) {
    shares_[static_cast<std::size_t>(reason)] += until_s - now_;
    now_ = until_s;
  }

  /// The copies from host memory as disjoint intervals.
  static Intervals host_copies(const std::vector<LoadSpan>& loads) {
    Intervals all;
    for (const LoadSpan& load : loads) {
      if (!load.from_peer) all.emplace_back(load.start_s, load.end_s);
    }
    std::sort(all.begin(), all.end());
    Intervals joined;
    for (const auto& one : all) {
      if (!joined.empty() && one.first <= joined.back().second) {
        joined.back().second = std::max(joined.back().second, one.second);
      } else {
        joined.push_back(one);
      }
    }
    return joined;
  }

  void cut_gap(const TaskSpan& task, const TaskSpan* before) {
    const Readiness& ready = run_.ready[task.task];
    if (ready.time_s > now_ + eps_) {
      give(IdleReason::dependency, std::min(ready.time_s, task.start_s));
    }
    const LoadSpan* const load = last_input(task);
    if (load != nullptr && load->end_s > now_ + eps_) cut_at_load(task, before, *load);
    if (task.start_s > now_ + eps_) cut_after_inputs(task, before);
    now_ = std::max(now_, task.start_s);
  }

  /// Of the inputs of a task, the load that ended last before it started.
  [[nodiscard]] const LoadSpan* last_input(const TaskSpan& task) const {
    if (run_.in_host_memory(p_)) return nullptr;
    const LoadSpan* last = nullptr;
    for (const TaskGraph::Index data : graph_.needed(task.task)) {
      const LoadSpan* const load = run_.last_load(p_, data, task.start_s + eps_);
      if (load == nullptr) continue;
      if (last == nullptr || load->end_s > last->end_s) last = load;
    }
    return last;
  }

  void cut_at_load(const TaskSpan& task, const TaskSpan* before, const LoadSpan& load) {
    const bool tight = is_tight(task, before);
    if (load.start_s > now_ + eps_) {
      const double until = std::min(load.start_s, load.end_s);
      give(why_not_requested(load, tight, until), until);
    }
    const double until = std::min(load.end_s, task.start_s);
    give(why_on_its_way(load, before, tight, until), until);
  }

  /// Until then the load was not requested.
  [[nodiscard]] IdleReason why_not_requested(const LoadSpan& load, bool tight,
                                             double until_s) const {
    const auto home = returns_of_.find(load.data);
    if (home != returns_of_.end() && any_within(home->second, now_ - eps_, until_s + eps_)) {
      return IdleReason::peer_write;
    }
    if (load.room == Room::returned) return IdleReason::write_back;
    if (without_work_at(now_)) return IdleReason::imbalance;
    return tight ? IdleReason::no_room : IdleReason::late_request;
  }

  /// Until then the load is on its way.
  [[nodiscard]] IdleReason why_on_its_way(const LoadSpan& load, const TaskSpan* before, bool tight,
                                          double until_s) const {
    if (before == nullptr) return IdleReason::start_up;
    if (load.start_s >= before->end_s - eps_) {  // requested late
      if (tight) return IdleReason::no_room;
      return load.room == Room::returned ? IdleReason::write_back : IdleReason::late_request;
    }
    if (load.from_peer) return IdleReason::from_peer;
    return others_copy(now_, until_s) > (until_s - now_) / 2 ? IdleReason::shared_bus
                                                             : IdleReason::transfer;
  }

  /// Whether the data of the task and of the one before it exceed the memory.
  [[nodiscard]] bool is_tight(const TaskSpan& task, const TaskSpan* before) const {
    if (memory_.empty() || run_.in_host_memory(p_)) return false;
    std::uint64_t bytes = graph_.footprint(task.task);
    if (before != nullptr) {
      const auto own = graph_.inputs(task.task);
      for (const TaskGraph::Index data : graph_.inputs(before->task)) {
        const bool common = std::find(own.begin(), own.end(), data) != own.end();
        if (!common) bytes += graph_.bytes(data);
      }
    }
    return bytes > memory_[p_];
  }

  [[nodiscard]] bool without_work_at(double time_s) const {
    const auto& waits = without_work_[p_];
    const auto after =
        std::upper_bound(waits.begin(), waits.end(), time_s + eps_,
                         [](double time, const Wait& wait) { return time < wait.start_s; });
    return after != waits.begin() && (after - 1)->end_s > time_s + eps_;
  }
  [[nodiscard]] bool without_work_within(double from_s, double to_s) const {
    const auto& waits = without_work_[p_];
    const auto first =
        std::lower_bound(waits.begin(), waits.end(), from_s,
                         [](const Wait& wait, double time) { return wait.start_s < time; });
    return first != waits.end() && first->start_s <= to_s;
  }

  /// Of an interval, the time in which the busiest other processor copies from host memory.
  [[nodiscard]] double others_copy(double from_s, double to_s) const {
    double most = 0;
    for (std::size_t q = 0; q < copying_.size(); ++q) {
      if (q == p_ || copying_[q].empty()) continue;
      const auto& all = copying_[q];
      auto at = std::lower_bound(all.begin(), all.end(), std::pair(from_s, from_s));
      if (at != all.begin()) --at;
      double both = 0;
      for (; at != all.end() && at->first < to_s; ++at) {
        both += std::max(0.0, std::min(to_s, at->second) - std::max(from_s, at->first));
      }
      most = std::max(most, both);
    }
    return most;
  }

  /// All inputs are there, and still it does not start.
  void cut_after_inputs(const TaskSpan& task, const TaskSpan* before) {
    const bool no_work = without_work_at(now_) || without_work_within(now_, task.start_s - eps_);
    const bool evicts = any_within(run_.evictions[p_], task.start_s - eps_, task.start_s + eps_);
    const bool returned = any_within(returns_by_[p_], now_ + eps_, task.start_s + eps_);
    IdleReason reason = IdleReason::decision;
    if (no_work && open_.any_at(now_)) {
      if (!decisions_cost_ && run_.tasks.size() > 1) reason = IdleReason::imbalance;
    } else if (no_work) {
      reason = IdleReason::dependency;
    } else if (before == nullptr) {
      reason = IdleReason::start_up;
    } else if (evicts || returned || (writes_back_ && !run_.in_host_memory(p_))) {
      reason = IdleReason::write_back;
    }
    give(reason, task.start_s);
  }

  /// Others have what is ready, or nothing is ready, or all has started.
  void after_last_task() {
    const double until = std::min(run_.makespan_s, open_.last_start_s());
    open_.for_each_piece(now_, until, [&](double time_s, bool any) {
      give(any ? IdleReason::imbalance : IdleReason::dependency, now_ + time_s);
    });
    if (run_.makespan_s > now_) give(IdleReason::end, run_.makespan_s);
  }

  const RunSchedule& run_;
  const TaskGraph& graph_;
  double eps_;
  OpenTaskCount open_;
  std::vector<std::uint64_t> memory_{};
  bool decisions_cost_ = false;
  bool writes_back_ = false;
  std::vector<Intervals> copying_;  // by processor: from host memory
  std::vector<std::vector<Wait>> without_work_;
  std::vector<std::vector<double>> returns_by_;                        // processor
  std::unordered_map<std::uint64_t, std::vector<double>> returns_of_;  // data item
  std::size_t p_ = 0;
  double now_ = 0;
  IdleShares shares_{};
};

}  // namespace

std::vector<IdleShares> idle_time(const std::vector<RunEvent>& events, const RunSchedule& run) {
  IdleTime idle(events, run);
  std::vector<IdleShares> result;
  for (std::size_t p = 0; p < run.tasks.size(); ++p) result.push_back(idle.of(p));
  return result;
}

}  // namespace damocles
