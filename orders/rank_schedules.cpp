#include "orders/rank_schedules.hpp"

#include <cstddef>
#include <limits>
#include <utility>

namespace damocles {
namespace {

using RankedTask = PlannedGraph::Index;

/// The tasks of a longest way, from its first.
std::vector<RankedTask> longest_way(const PlannedGraph& graph, const std::vector<double>& upward) {
  std::vector<RankedTask> way;
  double most = -1;
  RankedTask next = 0;
  for (RankedTask task = 0; task < graph.tasks(); ++task) {
    if (!graph.before(task).empty() || upward[task] <= most) continue;
    most = upward[task];
    next = task;
  }
  while (most >= 0) {
    way.push_back(next);
    most = -1;
    for (const auto& later : graph.after(way.back())) {
      const double length = later.transfer_s + upward[later.task];
      if (length <= most) continue;
      most = length;
      next = later.task;
    }
  }
  return way;
}

/// The processor that takes least for the tasks, of those that run most of them.
std::size_t processor_of(const PlannedGraph& graph, const std::vector<RankedTask>& way) {
  std::size_t best = 0;
  std::pair least{way.size() + 1, 0.0};
  for (std::size_t k = 0; k < graph.processors(); ++k) {
    std::pair cost{std::size_t{0}, 0.0};  // tasks that it cannot run, time of the others
    for (const RankedTask task : way) {
      if (graph.runs(task, k)) {
        cost.second += graph.duration_s(task, k);
      } else {
        ++cost.first;
      }
    }
    if (cost >= least) continue;
    least = cost;
    best = k;
  }
  return best;
}

}  // namespace

std::vector<Placement> cpop_schedule(const PlannedGraph& graph) {
  std::vector<double> ranks = upward_ranks(graph);
  const std::vector<RankedTask> way = longest_way(graph, ranks);
  std::vector<bool> on_way(graph.tasks(), false);
  for (const RankedTask task : way) on_way[task] = true;
  const std::size_t processor = processor_of(graph, way);
  const std::vector<double> downward = downward_ranks(graph);
  for (std::size_t task = 0; task < ranks.size(); ++task) ranks[task] += downward[task];

  PlannedSchedule schedule(graph);
  for (const RankedTask task : by_priority(graph, ranks)) {
    const bool there = on_way[task] && graph.runs(task, processor);
    schedule.place(task,
                   there ? schedule.in_gap(task, processor) : schedule.where_it_ends_first(task));
  }
  return std::move(schedule).take();
}

std::vector<Placement> peft_schedule(const PlannedGraph& graph) {
  const std::size_t processors = graph.processors();
  const std::vector<double> costs = optimistic_costs(graph);
  std::vector<double> means(graph.tasks(), 0);
  for (RankedTask task = 0; task < means.size(); ++task) {
    double able = 0;
    for (std::size_t k = 0; k < processors; ++k) {
      if (!graph.runs(task, k)) continue;
      means[task] += costs[task * processors + k];
      able += 1;
    }
    means[task] /= able;
  }

  PlannedSchedule schedule(graph);
  std::vector<double> data_s;
  for (const RankedTask task : by_priority(graph, means)) {
    Placement best;
    double least_s = std::numeric_limits<double>::infinity();
    schedule.data_everywhere(task, data_s);
    for (std::size_t k = 0; k < processors; ++k) {
      if (!graph.runs(task, k)) continue;
      const Placement here = schedule.in_gap(task, k, data_s[k]);
      const double whole_s = here.end_s + costs[task * processors + k];
      if (whole_s >= least_s) continue;
      least_s = whole_s;
      best = here;
    }
    schedule.place(task, best);
  }
  return std::move(schedule).take();
}

}  // namespace damocles
