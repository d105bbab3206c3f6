// What the processors of a static schedule load and write back, counted along its plan.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ode/static_plans/planned_run.hpp"

namespace damocles {

/// Room that a processor makes in its memory for a data item of a task.
struct RoomForItem {
  TaskGraph::Index item = 0;
  bool loads = true;  ///< false: the task only writes it, so nothing travels
  /// The room is free once so many tasks of the processor's list have ended.
  std::size_t after = 0;
  /// Modified data items that go to host memory for it.
  std::vector<TaskGraph::Index> leaving{};

  friend bool operator==(const RoomForItem&, const RoomForItem&) = default;
};

struct PlannedLoads {
  /// Of each task, in the order in which it names its data items; none of what is there.
  std::vector<std::vector<RoomForItem>> of_tasks;
  std::uint64_t loads = 0;
  std::uint64_t bytes_loaded = 0;
  std::uint64_t bytes_home = 0;  ///< modified data that go to host memory
};

/// Counts them, task by task in this order, which is that of their starts. Each memory evicts the
/// least recently used data item. A task loads what it reads and what is not valid there; what it
/// only writes takes room without a load. Writing makes all other copies invalid. Modified data go
/// to host memory when they are evicted, when another processor reads them, after their last write
/// where they go home early, and at the end where all return. Temporary data are gone after their
/// last access. O(accesses times processors).
///
/// What a processor loads depends on the order of its own tasks, and a little on how far the others
/// are: a copy gives its room back when another processor overwrites the data item.
/// @param order  all tasks, each after those that it waits for; those of a processor as in the plan
[[nodiscard]] PlannedLoads planned_loads(const PlannedRun& run,
                                         const std::vector<TaskGraph::Index>& order);

}  // namespace damocles
