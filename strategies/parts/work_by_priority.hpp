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

  /// How many different priorities there are.
  [[nodiscard]] std::size_t ranks() const { return sums_s_.front().size() - 1; }
  /// How many of them are below that of the task.
  [[nodiscard]] std::size_t rank(Index task) const { return ranks_[task]; }

  /// Adds what a task takes to what waits there; negative: it waits no longer.
  void add(std::size_t processor, Index task, double work_s);
  /// Of what waits there, that of tasks of a lower rank [s].
  [[nodiscard]] double behind_s(std::size_t processor, std::size_t rank) const;

 private:
  std::vector<std::size_t> ranks_;           // by task
  std::vector<std::vector<double>> sums_s_;  // by processor: a Fenwick tree over the ranks
};

}  // namespace damocles
