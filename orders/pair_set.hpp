#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cache_hint.hpp"

namespace damocles {

/// Unordered pairs of numbers below 2^31 - 1, and which of them came more than once.
class PairSet {
 public:
  /// Forgets all, and makes place for `pairs`.
  void reset(std::size_t pairs) {
    const std::size_t size = std::bit_ceil(2 * pairs + 16);
    shift_ = 64 - std::countr_zero(size);
    slots_.assign(size, 0);
    used_ = 0;
  }

  void add(std::uint32_t a, std::uint32_t b) {
    if (2 * used_ > slots_.size()) grow();
    std::uint64_t& slot = find(key(a, b));
    if (slot == 0) {
      slot = key(a, b);
      ++used_;
    } else {
      slot |= repeated;
    }
  }

  /// It will be added or asked for soon: its place, far from that of others, is fetched now.
  void expect(std::uint32_t a, std::uint32_t b) const { prefetch_line(slots_[home(key(a, b))]); }

  [[nodiscard]] bool is_repeated(std::uint32_t a, std::uint32_t b) {
    return (find(key(a, b)) & repeated) != 0;
  }

 private:
  static constexpr std::uint64_t repeated = std::uint64_t{1} << 63U;

  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {  // never 0, below 2^63
    const std::uint64_t low = a < b ? a : b;
    const std::uint64_t high = a < b ? b : a;
    return (high + 1) << 31U | low;
  }

  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    return (key * 0x9e3779b97f4a7c15U) >> shift_;  // Fibonacci hashing
  }

  std::uint64_t& find(std::uint64_t key) {
    std::size_t at = home(key);
    while (slots_[at] != 0 && (slots_[at] & ~repeated) != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    auto old = std::move(slots_);
    slots_.assign(2 * old.size(), 0);
    --shift_;
    for (const std::uint64_t slot : old) {
      if (slot != 0) find(slot & ~repeated) = slot;
    }
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(16, 0);
  int shift_ = 60;
  std::size_t used_ = 0;
};

}  // namespace damocles
