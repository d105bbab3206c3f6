// An order of tasks that keeps little in memory: what is begun is finished first.
#pragma once

#include <limits>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// An order of all tasks, each after those that it waits for, in which what tasks write lives
/// briefly, and the tree that the order follows.
///
/// Each task hangs on one that waits for it: of several on the one that may run soonest, by the
/// longest chain of tasks before it; ties: the lowest number. A tree is walked with the least peak
/// of memory that any order of it has: Liu's optimal traversal, "An application of generalized tree
/// pebbling to sparse matrix factorization", SIAM J. Alg. Disc. Meth. 8(3), 1987; where all results
/// are of one size, that of Sethi and Ullman, 1970. While a task runs it holds what its inputs and
/// outputs take; what it wrote for others lives until the task on which it hangs has run. Where
/// other tasks wait for it too, the order is repaired: what a task still waits for goes before it.
/// Trees follow each other in the order of submission of their last tasks.
///
/// The idea beyond trees: dask.order of Dask, which finishes what was begun last.
struct MemoryOrder {
  using Index = TaskGraph::Index;
  static constexpr Index none = std::numeric_limits<Index>::max();

  std::vector<Index> tasks;    ///< each once
  std::vector<Index> parents;  ///< by task: on which it hangs, or none

  explicit MemoryOrder(const TaskGraph& graph);

  /// A priority for each task, the highest for the first.
  [[nodiscard]] std::vector<double> priorities() const;
  /// Of each task the last task of the largest subtree around it that computes at most `flops`;
  /// none where all computes more.
  [[nodiscard]] std::vector<Index> subtrees(const TaskGraph& graph, double flops) const;
};

}  // namespace damocles
