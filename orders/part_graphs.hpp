#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Graphs of some of a graph's tasks.
class PartGraphs {
 public:
  using Index = TaskGraph::Index;
  /// What the tasks of such a graph compute: their flops, or nothing, so that all weigh the same.
  enum class Weights { flops, alike };

  /// The graph outlives it.
  explicit PartGraphs(const TaskGraph& graph, Weights weights = Weights::flops)
      : graph_(graph), weights_(weights), left_out_(graph.data(), 0), local_(graph.data(), 0) {}

  /// These tasks, numbered as they come, with the data that they access and that are not left out,
  /// as if they read them, in their order. O(their inputs log inputs)
  [[nodiscard]] TaskGraph of(std::span<const Index> tasks);
  /// The data of the graph made last, as they are called in the whole one, ascending.
  [[nodiscard]] std::span<const Index> data() const { return used_; }

  /// Graphs made from now on have the data no more, or again.
  void leave_out(Index data, bool left_out = true) { left_out_[data] = left_out ? 1 : 0; }

 private:
  const TaskGraph& graph_;
  Weights weights_;
  std::vector<std::uint8_t> left_out_;  // by data
  std::vector<Index> used_;
  std::vector<Index> local_;  // by data: its number in the graph made last
};

}  // namespace damocles
