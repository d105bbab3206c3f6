#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "models/rng.hpp"

namespace damocles {

/// The indices 0..extent-1 of one dimension that a processor knows, and those it does not.
///
/// A partial Fisher–Yates: the first `known()` entries of a permutation are the known ones, in the
/// order they were learnt; a bit mask beside it answers word-parallel questions.
class IndexSet {
 public:
  explicit IndexSet(std::uint64_t extent) : order_(extent), mask_((extent + 63) / 64, 0) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  [[nodiscard]] bool full() const { return known_ == order_.size(); }
  /// Known indices, oldest first.
  [[nodiscard]] std::span<const std::uint32_t> known() const { return {order_.data(), known_}; }
  /// Bit i % 64 of word i / 64 tells whether i is known.
  [[nodiscard]] std::span<const std::uint64_t> mask() const { return mask_; }

  /// Learns one unknown index, each equally likely, and returns it. @pre !full()
  std::uint32_t learn_random(Rng& rng) {
    const std::size_t chosen = known_ + rng.below(order_.size() - known_);
    std::swap(order_[known_], order_[chosen]);
    const std::uint32_t index = order_[known_++];
    mask_[index / 64] |= std::uint64_t{1} << (index % 64);
    return index;
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint64_t> mask_;
  std::size_t known_ = 0;
};

}  // namespace damocles
