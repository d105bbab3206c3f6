// The plan of a static list schedule: which processor runs which tasks, in which order.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"
#include "orders/planned_schedule.hpp"

namespace damocles {

/// Places all tasks of a graph, shape (tasks).
using Schedule = std::vector<Placement> (*)(const PlannedGraph&);

/// The name of a static schedule, which is also that of the strategy that runs it.
struct NamedSchedule {
  std::string_view name;
  Schedule schedule;
};

/// All of them, by name.
[[nodiscard]] std::span<const NamedSchedule> named_schedules();
/// @throws std::logic_error where no schedule has that name
[[nodiscard]] Schedule schedule_called(std::string_view name);

/// What a static schedule makes of a workload on a platform.
struct StaticPlan {
  /// All tasks by their planned starts; each after those that it waits for.
  std::vector<PlannedGraph::Index> order;
  /// The tasks of each processor in that order, shape (processors).
  std::vector<std::vector<PlannedGraph::Index>> of_processors;
  double makespan_s = 0;  ///< when the last task is planned to end
};

/// Plans as if memory had no limit and all data lay everywhere at first. What a task writes and a
/// task on another processor reads travels to host memory and from there: twice over the link;
/// once where one of the two computes in host memory, not at all where both do. Transfers do not
/// delay each other. A function of its arguments alone.
[[nodiscard]] StaticPlan static_plan(const Workload& workload, const Platform& platform,
                                     Schedule schedule);

}  // namespace damocles
