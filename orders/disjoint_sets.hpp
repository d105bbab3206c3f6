#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Sets of data that grow together; the lowest stands for its set.
class DisjointSets {
 public:
  using Index = TaskGraph::Index;

  /// Each data item alone.
  explicit DisjointSets(std::size_t data) : parent_(data) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }

  /// The lowest data of the set. Amortised O(log data).
  Index root(Index data) {
    while (parent_[data] != data) {
      parent_[data] = parent_[parent_[data]];
      data = parent_[data];
    }
    return data;
  }

  void join(Index a, Index b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  /// Takes a data item out. @pre all others of its set are taken out before any is joined again
  void part(Index data) { parent_[data] = data; }

 private:
  std::vector<Index> parent_;
};

}  // namespace damocles
