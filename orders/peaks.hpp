#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace damocles {

/// A row of numbers, all 0 at first, to which ranges are added and of which ranges' largest are
/// asked: a binary tree whose nodes hold what was added to all below them, and the largest below.
/// Both in O(log size).
class Peaks {
 public:
  explicit Peaks(std::size_t size) : size_(std::max<std::size_t>(1, size)) {
    while (leaves_ < size_) leaves_ *= 2;
    nodes_.resize(2 * leaves_);
  }

  /// Adds `amount` to the numbers in [from, to). An empty range changes nothing. @pre to <= size
  void add(std::size_t from, std::size_t to, std::int64_t amount) {
    if (from >= to) return;
    std::size_t left = from + leaves_;
    std::size_t right = to - 1 + leaves_;
    const std::size_t first = left;
    const std::size_t last = right;
    for (++right; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) raise(left++, amount);
      if (right % 2 == 1) raise(--right, amount);
    }
    repair(first);
    repair(last);
  }

  /// The largest number in [from, to). @pre from < to <= size
  [[nodiscard]] std::int64_t largest(std::size_t from, std::size_t to) const {
    return largest(1, 0, leaves_, from, to);
  }

 private:
  struct Node {
    std::int64_t added = 0;    // to all below, by ranges that cover the node
    std::int64_t largest = 0;  // below, `added` included
  };

  void raise(std::size_t node, std::int64_t amount) {
    nodes_[node].added += amount;
    nodes_[node].largest += amount;
  }

  void repair(std::size_t leaf) {
    for (std::size_t node = leaf / 2; node > 0; node /= 2) {
      nodes_[node].largest =
          nodes_[node].added + std::max(nodes_[2 * node].largest, nodes_[2 * node + 1].largest);
    }
  }

  [[nodiscard]] std::int64_t largest(std::size_t node, std::size_t begin, std::size_t end,
                                     std::size_t from, std::size_t to) const {
    if (from <= begin && end <= to) return nodes_[node].largest;
    const std::size_t middle = begin + (end - begin) / 2;
    if (to <= middle) return nodes_[node].added + largest(2 * node, begin, middle, from, to);
    if (from >= middle) return nodes_[node].added + largest(2 * node + 1, middle, end, from, to);
    return nodes_[node].added + std::max(largest(2 * node, begin, middle, from, middle),
                                         largest(2 * node + 1, middle, end, middle, to));
  }

  std::size_t size_;
  std::size_t leaves_ = 1;
  std::vector<Node> nodes_;
};

}  // namespace damocles
