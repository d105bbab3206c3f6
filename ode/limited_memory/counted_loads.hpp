#pragma once

#include <cstdint>
#include <vector>

#include "ode/limited_memory/limited_run.hpp"
#include "ode/limited_memory/recency_list.hpp"

namespace damocles {

/// Data items that are loaded for one task of a list.
struct TaskLoads {
  TaskGraph::Index task = 0;  ///< any, where all take the same time
  std::uint32_t needed = 0;   ///< inputs of its own, before which it cannot start
  std::uint32_t ahead = 0;    ///< of later tasks, while it is the next one
  friend bool operator==(const TaskLoads&, const TaskLoads&) = default;
};
/// Of each task of a list, in the order in which they run.
using LoadsByTask = std::vector<TaskLoads>;

/// A memory of so many data items that evicts the least recently used.
class LruMemory {
 public:
  LruMemory(const TaskGraph& graph, std::size_t memory)
      : graph_(&graph), memory_(memory), held_(graph.data()) {}
  /// What the next task of the processor loads.
  TaskLoads run(TaskGraph::Index task);

 private:
  const TaskGraph* graph_;
  std::size_t memory_;
  RecencyList held_;
};

/// Of a list whose order is fixed, in a memory of so many data items that evicts the least recently
/// used. Prefetching changes nothing: the loader reads the list as the processor does, earlier.
/// O(inputs).
[[nodiscard]] LoadsByTask lru_loads(const TaskGraph& graph, const TaskSequence& list,
                                    std::size_t memory);

/// How a processor takes tasks from its list.
enum class TakenFirst {
  first,          ///< of the list
  fewest_loads,   ///< that lacks the fewest data items; ties: the fewest evicted before, the first
  fewest_in_view  ///< the same of the first 128 of the list; ties: the first
};

/// Of a list under dmda, dmdar or dmdas: while tasks run that lack nothing, the bus brings what the
/// list names next, into room that is free or is no longer read.
/// @pre data items have one size
[[nodiscard]] LoadsByTask loads_with_prefetch(const LimitedRun& run, const TaskSequence& list,
                                              TakenFirst taken);

}  // namespace damocles
