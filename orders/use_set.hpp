#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace damocles {

/// A set of numbers in [0, universe) that knows its largest: a bit each, and above them a tree of
/// words with a bit for each word below that is not zero. All operations in O(log_64 universe).
class UseSet {
 public:
  explicit UseSet(std::size_t universe) {
    do {
      universe = std::max<std::size_t>(1, (universe + 63) / 64);
      levels_.emplace_back(universe, 0);
    } while (universe > 1);
  }

  [[nodiscard]] bool contains(std::size_t x) const {
    return (levels_.front()[x / 64] >> (x % 64) & 1U) != 0;
  }

  void add(std::size_t x) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[x / 64];
      const bool known = word != 0;
      word |= std::uint64_t{1} << (x % 64);
      if (known) return;  // then every word above has its bit
      x /= 64;
    }
  }

  /// Takes x out. @return whether it was in
  bool remove(std::size_t x) {
    if (!contains(x)) return false;
    for (auto& level : levels_) {
      std::uint64_t& word = level[x / 64];
      word &= ~(std::uint64_t{1} << (x % 64));
      if (word != 0) break;
      x /= 64;
    }
    return true;
  }

  [[nodiscard]] bool empty() const { return levels_.back().front() == 0; }

  /// The largest number below x, if there is one.
  [[nodiscard]] std::optional<std::size_t> largest_below(std::size_t x) const {
    for (std::size_t level = 0; level < levels_.size(); ++level, x /= 64) {
      const std::uint64_t below = (std::uint64_t{1} << (x % 64)) - 1;
      const std::uint64_t word = levels_[level][x / 64] & below;
      if (word == 0) continue;
      std::size_t found = x / 64 * 64 + static_cast<std::size_t>(63 - std::countl_zero(word));
      while (level-- > 0) {
        found = found * 64 + static_cast<std::size_t>(63 - std::countl_zero(levels_[level][found]));
      }
      return found;
    }
    return std::nullopt;
  }

  /// The largest number. @pre !empty()
  [[nodiscard]] std::size_t largest() const {
    assert(!empty());
    std::size_t x = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      const std::uint64_t word = levels_[level][x];
      x = x * 64 + static_cast<std::size_t>(63 - std::countl_zero(word));
    }
    return x;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // bits first, root last
};

}  // namespace damocles
