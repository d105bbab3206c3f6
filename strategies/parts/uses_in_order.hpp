#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Which task of an order reads or writes each data item next, while tasks are taken out of it, in
/// that order or nearly so: for Belady's rule.
class UsesInOrder {
 public:
  using Index = TaskGraph::Index;

  /// @param order  each task once
  UsesInOrder(const TaskGraph& graph, const std::vector<Index>& order);

  void take(Index task);
  /// How many tasks are taken before the next one that accesses the data; Strategy::never where
  /// none is left. Amortised O(1).
  [[nodiscard]] std::uint64_t next_use(Index data);

 private:
  std::vector<Index> places_;              // of each task in the order
  std::vector<bool> taken_;                // by task
  std::vector<std::vector<Index>> users_;  // by data, the last in the order first
  std::uint64_t tasks_taken_ = 0;
};

}  // namespace damocles
