#pragma once

#include <cstddef>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// The work that waits on each processor, by priority: how much of it goes behind a task where the
/// highest priority goes first. O(log priorities) a step.
class WorkByPriority {
 public:
  using Index = TaskGraph::Index;

  WorkByPriority(const TaskGraph& graph, std::size_t processors);

  /// Adds what a task takes to what waits there; negative: it waits no longer.
  void add(std::size_t processor, Index task, double work_s);
  /// Of what waits there, that of tasks of a lower priority [s].
  [[nodiscard]] double behind_s(std::size_t processor, Index task) const;

 private:
  std::vector<std::size_t> ranks_;           // of each task's priority; the lowest is 1
  std::vector<std::vector<double>> sums_s_;  // by processor: a Fenwick tree over the ranks
};

}  // namespace damocles
