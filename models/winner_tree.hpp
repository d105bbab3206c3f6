#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace damocles {

/// The leftmost smallest of a growing row of keys, any of which may change.
///
/// A tree of fan 8 whose nodes hold lower bounds of the keys below them. A key that falls lowers
/// the bounds above it, up to the first that is low enough; a key that rises touches nothing:
/// best() raises a bound where it finds that nothing below reaches it. So a rise costs one store,
/// and log_8 of the size is paid only for keys that come to the top.
///
/// @tparam Key  ordered by <; cheap to copy
template <typename Key>
class WinnerTree {
 public:
  /// @param worst  no key is larger; a position that must not win is given this one
  explicit WinnerTree(Key worst) : worst_(worst), levels_(1, std::vector<Key>(fan, worst)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Key& key(std::size_t position) const { return levels_.front()[position]; }

  /// Makes room for so many keys.
  void reserve(std::size_t keys) { levels_.front().reserve((keys / fan + 1) * fan); }
  /// Adds a key after those there are. Amortised O(log size).
  void push_back(const Key& key) { set_grown(size_++, key); }

  /// Changes a key either way. @pre position < size()
  void set(std::size_t position, const Key& key) {
    assert(position < size_);
    levels_.front()[position] = key;
    lower_bounds(position, key);
  }

  /// As set(), for a key known not to fall: one store. @pre !(key < this->key(position))
  void raise(std::size_t position, const Key& key) {
    assert(position < size_ && !(key < this->key(position)));
    levels_.front()[position] = key;
  }

  /// Position of the first of the smallest keys. Amortised O(log size) over the changes before it.
  /// @pre size() > 0
  std::size_t best() {
    assert(size_ > 0);
    std::size_t level = levels_.size() - 1;
    std::size_t group = 0;
    while (true) {
      const std::size_t winner = first_smallest(levels_[level], group);
      const Key& key = levels_[level][winner];
      if (level + 1 < levels_.size() && levels_[level + 1][group] < key) {
        levels_[++level][group] = key;
        group /= fan;  // its elders may now prefer another
      } else if (level == 0) {
        return winner;
      } else {
        group = winner;
        --level;
      }
    }
  }

  /// Position of the first key with may(key), if there is one. @pre if it is true of some key, it
  /// is so of all smaller ones, and not of the worst
  template <typename May>
  std::optional<std::size_t> first_if(May&& may) {
    return first_below(levels_.size(), 0, may);
  }

  /// Forgets all keys.
  void clear() {
    levels_.assign(1, std::vector<Key>(fan, worst_));
    size_ = 0;
  }

 private:
  static constexpr std::size_t fan = 8;  ///< keys of 8 bytes: a group is a cache line's worth

  static std::size_t first_smallest(const std::vector<Key>& row, std::size_t group) {
    const Key* const first = row.data() + group * fan;
    std::size_t winner = 0;
    for (std::size_t i = 1; i < fan; ++i) winner = first[i] < first[winner] ? i : winner;
    return group * fan + winner;
  }

  /// The same among the keys below the place of the level; the last level is below the only place
  /// of none.
  template <typename May>
  std::optional<std::size_t> first_below(std::size_t level, std::size_t place, May& may) {
    if (level == 0) return place;
    auto& row = levels_[level - 1];
    for (std::size_t at = place * fan; at < (place + 1) * fan; ++at) {
      if (!may(row[at])) continue;
      if (const auto found = first_below(level - 1, at, may)) return found;
      row[at] = levels_[level - 2][first_smallest(levels_[level - 2], at)];  // it was too low
    }
    return std::nullopt;
  }

  void lower_bounds(std::size_t position, const Key& key) {
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      position /= fan;
      if (!(key < levels_[level][position])) return;
      levels_[level][position] = key;
    }
  }

  /// Writes a key at a position that may lie past the ends of the rows, which stay whole groups.
  void set_grown(std::size_t position, const Key& key) {
    std::size_t place = position;
    for (auto& row : levels_) {
      if (place >= row.size()) row.resize((place / fan + 1) * fan, worst_);
      place /= fan;
    }
    while (levels_.back().size() > fan) add_level();
    set(position, key);
  }

  void add_level() {
    const auto& below = levels_.back();
    std::vector<Key> row(((below.size() / fan - 1) / fan + 1) * fan, worst_);
    for (std::size_t group = 0; group * fan < below.size(); ++group) {
      row[group] = below[first_smallest(below, group)];
    }
    levels_.push_back(std::move(row));
  }

  Key worst_;
  std::vector<std::vector<Key>> levels_;  ///< the keys, then bounds of 8, 64, ... of them
  std::size_t size_ = 0;
};

}  // namespace damocles
