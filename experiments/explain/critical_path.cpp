#include "experiments/explain/critical_path.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace damocles {
namespace {

class PathWalk {
 public:
  explicit PathWalk(const RunSchedule& run) : run_(run), eps_(run.tolerance_s()) {
    for (std::uint32_t task = 0; task < run.span_of.size(); ++task) {
      ends_.emplace_back(run.span_of[task].end_s, task);
    }
    std::sort(ends_.begin(), ends_.end());
    before_.resize(run.span_of.size());
    for (const auto& own : run.tasks) {
      for (std::size_t k = 1; k < own.size(); ++k) before_[own[k].task] = own[k - 1].task;
    }
  }

  CriticalPath walk() {
    if (ends_.empty()) return {};
    path_.end_s = run_.makespan_s - ends_.back().first;
    std::optional<Cause> at = task_cause(ends_.back().second, 0);
    // Each link ends no later than the one after it starts, but copies may take no time at all.
    const std::size_t most = 4 * (ends_.size() + run_.returns.size()) + all_loads() + 4;
    while (at && path_.links.size() < most) {
      add(at->link);
      const double start_s = at->link.start_s;
      at = at->link.kind == PathLink::Kind::task || at->link.kind == PathLink::Kind::task_on_core
               ? before_task(at->link)
               : before_copy(at->link);
      path_.waiting_s += at ? std::max(0.0, start_s - at->link.end_s) : start_s;
    }
    std::reverse(path_.links.begin(), path_.links.end());
    return std::move(path_);
  }

 private:
  /// What was waited for; of several that ended at one time the one of the highest rank counts.
  struct Cause {
    PathLink link;
    int rank;
  };

  [[nodiscard]] std::size_t all_loads() const {
    std::size_t sum = 0;
    for (const auto& loads : run_.loads) sum += loads.size();
    return sum;
  }

  void add(const PathLink& link) {
    double& share = link.kind == PathLink::Kind::task           ? path_.task_s
                    : link.kind == PathLink::Kind::task_on_core ? path_.task_on_core_s
                    : link.kind == PathLink::Kind::transfer     ? path_.transfer_s
                                                                : path_.write_back_s;
    share += link.end_s - link.start_s;
    path_.links.push_back(link);
  }

  [[nodiscard]] Cause task_cause(std::uint32_t task, int rank) const {
    const TaskSpan& span = run_.span_of[task];
    const std::uint32_t p = run_.processor_of[task];
    const auto kind = run_.in_host_memory(p) ? PathLink::Kind::task_on_core : PathLink::Kind::task;
    return {{kind, span.start_s, span.end_s, p, task}, rank};
  }
  [[nodiscard]] static Cause load_cause(const LoadSpan& load, std::uint32_t p) {
    return {{PathLink::Kind::transfer, load.start_s, load.end_s, p, load.data}, 2};
  }
  [[nodiscard]] static Cause return_cause(const ReturnSpan& one) {
    return {{PathLink::Kind::write_back, one.start_s, one.end_s, one.processor, one.data}, 3};
  }

  void consider(std::optional<Cause>& best, const Cause& cause, double time_s) const {
    if (cause.link.end_s > time_s + eps_) return;
    const auto key = [&](const Cause& one) {
      return std::pair(std::round(one.link.end_s / eps_), one.rank);
    };
    if (!best || key(cause) > key(*best)) best = cause;
  }

  /// Calls visit(one) for each of a list, sorted by end, that ends within the tolerance of a time.
  template <typename List, typename Visit>
  void for_each_ending(const List& list, double time_s, Visit&& visit) const {
    auto at = std::lower_bound(list.begin(), list.end(), time_s - eps_,
                               [](const auto& one, double time) { return one.end_s < time; });
    for (; at != list.end() && at->end_s <= time_s + eps_; ++at) visit(*at);
  }

  [[nodiscard]] std::optional<Cause> before_task(const PathLink& link) const {
    const auto task = static_cast<std::uint32_t>(link.id);
    std::optional<Cause> best;
    if (before_[task]) consider(best, task_cause(*before_[task], 0), link.start_s);
    if (const auto last = run_.ready[task].last_task) {
      consider(best, task_cause(*last, 1), link.start_s);
    }
    if (!run_.in_host_memory(link.processor)) {
      for (const TaskGraph::Index data : run_.graph().needed(task)) {
        const LoadSpan* const load = run_.last_load(link.processor, data, link.start_s + eps_);
        if (load != nullptr) consider(best, load_cause(*load, link.processor), link.start_s);
      }
    }
    for_each_ending(run_.returns, link.start_s, [&](const ReturnSpan& one) {
      if (one.processor == link.processor) consider(best, return_cause(one), link.start_s);
    });
    return best;
  }

  [[nodiscard]] std::optional<Cause> before_copy(const PathLink& link) const {
    std::optional<Cause> best;
    for_each_ending(run_.loads[link.processor], link.start_s, [&](const LoadSpan& load) {
      if (load.end_s > load.start_s) {
        consider(best, load_cause(load, link.processor), link.start_s);
      }
    });
    for_each_ending(run_.returns, link.start_s, [&](const ReturnSpan& one) {
      if (one.end_s > one.start_s + eps_) consider(best, return_cause(one), link.start_s);
    });
    for_each_task_ending(link.start_s, [&](std::uint32_t task) {
      if (run_.processor_of[task] == link.processor) {
        consider(best, task_cause(task, 1), link.start_s);
      }
    });
    if (best) return best;
    for_each_task_ending(link.start_s, [&](std::uint32_t task) {
      consider(best, task_cause(task, 1), link.start_s);
    });
    if (best) return best;
    const auto after =
        std::lower_bound(ends_.begin(), ends_.end(), std::pair(link.start_s - eps_, 0U));
    if (after != ends_.begin()) return task_cause((after - 1)->second, 1);
    return std::nullopt;
  }

  template <typename Visit>
  void for_each_task_ending(double time_s, Visit&& visit) const {
    auto at = std::lower_bound(ends_.begin(), ends_.end(), std::pair(time_s - eps_, 0U));
    for (; at != ends_.end() && at->first <= time_s + eps_; ++at) visit(at->second);
  }

  const RunSchedule& run_;
  double eps_;
  std::vector<std::pair<double, std::uint32_t>> ends_;  // of tasks, in order
  std::vector<std::optional<std::uint32_t>> before_;    // by task: the one before it there
  CriticalPath path_;
};

}  // namespace

CriticalPath critical_path(const RunSchedule& run) { return PathWalk(run).walk(); }

}  // namespace damocles
