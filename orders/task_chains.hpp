#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Disjoint sequences of tasks that are joined and reversed in O(1).
///
/// A task keeps the exclusive or of its two neighbours, so a chain has no direction of its own: it
/// is read from either end, and reversing it swaps its ends.
class TaskChains {
 public:
  using Index = TaskGraph::Index;

  /// A chain by its ends; a lone task is both.
  struct Chain {
    Index first;
    Index last;
    void reverse() { std::swap(first, last); }
  };

  explicit TaskChains(std::size_t tasks) : neighbours_(tasks, 0) {}  // none ^ none

  /// `front`, then `back`.
  Chain join(Chain front, Chain back) {
    neighbours_[front.last] ^= none ^ back.first;
    neighbours_[back.first] ^= none ^ front.last;
    return {front.first, back.last};
  }

  /// Calls `visit(task)` in order while it returns true.
  template <typename Visit>
  void walk(Chain chain, Visit&& visit) const {
    Index before = none;
    for (Index task = chain.first; visit(task) && task != chain.last;) {
      before = std::exchange(task, neighbours_[task] ^ before);
    }
  }

 private:
  static constexpr Index none = static_cast<Index>(-1);

  std::vector<Index> neighbours_;
};

}  // namespace damocles
