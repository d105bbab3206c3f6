#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// What was moved into one processor's memory.
struct Loaded {
  std::uint64_t loads = 0;  ///< number of transfers [data]
  std::uint64_t bytes = 0;  ///< their size [B]

  bool operator==(const Loaded&) const = default;
};

/// What one processor loads when it runs tasks in a fixed order and evicts by Belady's MIN.
///
/// A step of COLOC21's model: evict, load the inputs the task lacks, run it; the memory starts
/// empty, a task's own inputs are never evicted for it. MIN evicts the data whose next use in the
/// order lies farthest ahead (never used again: first of all), no more of them than must go.
/// For data of one size no eviction policy loads less (COLOC21, Theorem 1). For data of differing
/// sizes the rule is the same, farthest first until the inputs fit, and is only a heuristic: the
/// best evictions are then NP-hard to find (Chrobak, Woeginger, Makino & Xu, "Caching is hard -
/// even in the fault model", Algorithmica 2012).
///
/// Each use of a data item is a number, counted along the order, and the memory is the set of the
/// next uses of what it holds: a use is a hit if it is in the set, the data to evict is the largest
/// number. Time O(uses log_64(uses)), memory one bit and 8 bytes a use and 4 bytes a task.
///
/// @param order         tasks of the graph, any of them, any number of times
/// @param memory_bytes  M [B]
/// @throws InvalidInput if a task's inputs exceed M together, if the order names a task that is
///         not there, or if it makes more than 2^32 - 2 uses of data
/// Source: COLOC21, section 2 and Theorem 1. Checked by tests/orders/min_loads_test.cpp.
[[nodiscard]] Loaded loaded_under_min(const TaskGraph& graph,
                                      std::span<const TaskGraph::Index> order,
                                      std::uint64_t memory_bytes);

/// When what is in memory under MIN: a stay is the time from a load of a data item to its eviction.
struct Stays {
  std::vector<TaskGraph::Index> data;         ///< of each stay, in the order of their loads
  std::vector<TaskGraph::Index> of_use;       ///< the stay that serves each use, task after task
  std::vector<TaskGraph::Index> end_of_task;  ///< where the uses of each task of the order end
};

/// What loaded_under_min() counts, written out. @throws InvalidInput as it does
[[nodiscard]] Stays stays_under_min(const TaskGraph& graph, std::span<const TaskGraph::Index> order,
                                    std::uint64_t memory_bytes);

/// The number of loads alone: loaded_under_min(...).loads.
[[nodiscard]] inline std::uint64_t min_loads(const TaskGraph& graph,
                                             std::span<const TaskGraph::Index> order,
                                             std::uint64_t memory_bytes) {
  return loaded_under_min(graph, order, memory_bytes).loads;
}

}  // namespace damocles
