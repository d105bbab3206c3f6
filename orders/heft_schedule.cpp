#include "orders/heft_schedule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace damocles {
namespace {

using HeftTask = PlannedGraph::Index;

/// Of each task those that wait for it, by falling rank.
std::vector<HeftTask> children_by_rank(const PlannedGraph& graph, HeftTask task,
                                       const std::vector<double>& ranks) {
  std::vector<HeftTask> children;
  for (const auto& later : graph.after(task)) children.push_back(later.task);
  std::stable_sort(children.begin(), children.end(),
                   [&](HeftTask a, HeftTask b) { return ranks[a] > ranks[b]; });
  return children;
}

/// When the last child ends if the task is placed so; 0 where it has none.
double last_end_s(PlannedSchedule& schedule, HeftTask task, const Placement& placement,
                  const std::vector<HeftTask>& children) {
  double last_s = 0;
  schedule.assume(task, placement);
  for (const HeftTask child : children) {
    const Placement best = schedule.where_it_ends_first(child);
    schedule.assume(child, best);
    last_s = std::max(last_s, best.end_s);
  }
  schedule.forget();
  return last_s;
}

}  // namespace

std::vector<Placement> heft_schedule(const PlannedGraph& graph) {
  PlannedSchedule schedule(graph);
  for (const HeftTask task : by_priority(graph, upward_ranks(graph))) {
    schedule.place(task, schedule.where_it_ends_first(task));
  }
  return std::move(schedule).take();
}

std::vector<Placement> lookahead_schedule(const PlannedGraph& graph) {
  const std::vector<double> ranks = upward_ranks(graph);
  PlannedSchedule schedule(graph);
  for (const HeftTask task : by_priority(graph, ranks)) {
    const std::vector<HeftTask> children = children_by_rank(graph, task, ranks);
    Placement best;
    std::pair least{std::numeric_limits<double>::infinity(), 0.0};
    for (std::size_t k = 0; k < graph.processors(); ++k) {
      if (!graph.runs(task, k)) continue;
      const Placement here = schedule.in_gap(task, k);
      const std::pair ends{last_end_s(schedule, task, here, children), here.end_s};
      if (ends < least) std::tie(least, best) = std::pair{ends, here};
    }
    schedule.place(task, best);
  }
  return std::move(schedule).take();
}

}  // namespace damocles
