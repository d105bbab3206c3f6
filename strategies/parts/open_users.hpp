#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// The tasks of a graph that may be taken, in an order of their own, and for each data item how
/// many of them access it, with how many flops, and the highest priority among them.
///
/// Where tasks wait for others none is open at first; else all are, and priorities are not kept.
/// Closing and opening cost O(inputs), where tasks wait O(inputs log users).
class OpenUsers {
 public:
  using Index = TaskGraph::Index;

  /// @param order  every task once; the graph outlives this
  OpenUsers(const TaskGraph& graph, std::vector<Index> order);

  [[nodiscard]] bool empty() const { return open_ == 0; }
  [[nodiscard]] bool contains(Index task) const { return is_open_[task] != 0; }
  /// The first open task in the order. @pre !empty()
  [[nodiscard]] Index first();

  /// @pre contains(task)
  void close(Index task);
  /// @pre !contains(task)
  void open(Index task);

  [[nodiscard]] std::uint32_t users(Index data) const { return users_[data]; }
  [[nodiscard]] double work(Index data) const { return work_[data]; }
  /// Of the open tasks that access the data; 0 where there are none, or none wait for others.
  [[nodiscard]] double urgency(Index data) { return waiting_ ? highest_priority(data) : 0; }

 private:
  [[nodiscard]] double highest_priority(Index data);

  const TaskGraph& graph_;
  bool waiting_;  // whether tasks wait for others
  std::size_t open_ = 0;
  std::vector<std::uint8_t> is_open_;
  std::vector<std::uint32_t> users_;  // by data: open tasks that access it
  std::vector<double> work_;          // by data: their flops
  std::vector<Index> order_;
  std::vector<Index> place_;  // of each task in that order
  std::size_t first_ = 0;     // all before it are closed; where none waits
  std::set<Index> places_;    // of open tasks; where some wait
  // By data, highest first; those that are closed are dropped when they come to the top.
  std::vector<std::priority_queue<std::pair<double, Index>>> priorities_;
};

}  // namespace damocles
