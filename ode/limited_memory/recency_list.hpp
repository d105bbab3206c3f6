#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// The data items in a memory, from the least to the most recently used.
class RecencyList {
 public:
  using Index = TaskGraph::Index;

  explicit RecencyList(std::size_t data)
      : end_(static_cast<Index>(data)), next_(data + 1), previous_(data + 1), held_(data, 0) {
    next_[end_] = previous_[end_] = end_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool holds(Index item) const { return held_[item] != 0; }

  /// As the most recently used. @pre it is not held
  void add(Index item) {
    held_[item] = 1;
    ++size_;
    link(item);
  }
  /// It is used now. @pre it is held
  void touch(Index item) {
    unlink(item);
    link(item);
  }
  /// @pre it is held
  void remove(Index item) {
    held_[item] = 0;
    --size_;
    unlink(item);
  }
  /// The least recently used item of which this is true.
  template <typename May>
  [[nodiscard]] std::optional<Index> oldest_if(May&& may) const {
    for (Index item = next_[end_]; item != end_; item = next_[item]) {
      if (may(item)) return item;
    }
    return std::nullopt;
  }

 private:
  void link(Index item) {
    const Index last = previous_[end_];
    next_[last] = item;
    previous_[item] = last;
    next_[item] = end_;
    previous_[end_] = item;
  }
  void unlink(Index item) {
    next_[previous_[item]] = next_[item];
    previous_[next_[item]] = previous_[item];
  }

  Index end_;  // before the first and after the last
  std::vector<Index> next_;
  std::vector<Index> previous_;
  std::vector<char> held_;
  std::size_t size_ = 0;
};

}  // namespace damocles
