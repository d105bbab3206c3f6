// The data items in a memory, by when they are used next.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/task_graph.hpp"
#include "models/winner_tree.hpp"

namespace damocles {

/// Which data item goes first by Belady's rule: the one that is used next the farthest ahead; ties:
/// the least recently touched. @pre fewer than 2^32 are added and touched
class FarthestUse {
 public:
  using Index = TaskGraph::Index;
  static constexpr Index never = std::numeric_limits<Index>::max();

  explicit FarthestUse(std::size_t data) {
    for (std::size_t item = 0; item < data; ++item) order_.push_back(not_held);
  }

  /// @pre it is not held
  void add(Index item, Index next_use) { order_.set(item, key(next_use, ++touches_)); }
  /// @pre it is held
  void touch(Index item) { order_.set(item, key(next_use(item), ++touches_)); }
  /// @pre it is held
  void set_next_use(Index item, Index use) {
    order_.set(item, key(use, static_cast<Index>(order_.key(item))));
  }
  /// @pre it is held
  void remove(Index item) { order_.raise(item, not_held); }
  /// The first to go of those of which this is true.
  template <typename May>
  [[nodiscard]] std::optional<Index> first_if(May&& may) {
    std::optional<Index> found;
    while (!found) {
      const auto item = static_cast<Index>(order_.best());
      if (order_.key(item) == not_held) break;
      if (may(item)) {
        found = item;
      } else {
        passed_.push_back({item, order_.key(item)});
        remove(item);
      }
    }
    for (const Passed& one : passed_) order_.set(one.item, one.key);
    passed_.clear();
    return found;
  }

 private:
  using Key = std::uint64_t;
  static constexpr Key not_held = std::numeric_limits<Key>::max();
  struct Passed {
    Index item;
    Key key;
  };

  static Key key(Index next_use, Index touched) {
    return static_cast<Key>(never - next_use) << 32U | touched;
  }
  [[nodiscard]] Index next_use(Index item) const {
    return never - static_cast<Index>(order_.key(item) >> 32U);
  }

  WinnerTree<Key> order_{not_held};  // by data item
  Index touches_ = 0;
  std::vector<Passed> passed_;  // scratch
};

}  // namespace damocles
