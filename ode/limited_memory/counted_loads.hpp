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
  /// It reads what TaskQueue::load_ahead() loaded last, and starts when that has come.
  bool awaits_ahead = false;
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

}  // namespace damocles
