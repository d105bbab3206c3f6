// The indices of one dimension that a processor knows, drawn at random.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "models/rng.hpp"

namespace damocles {

/// The indices 0..extent-1 of one dimension that a processor knows, and those it does not.
///
/// A partial Fisher–Yates shuffle: known indices stand first in a permutation, in the order in
/// which they were learnt. As long as few are known, the rest of the permutation is kept as its
/// differences from the identity: of 10⁴ rows a processor that knows a hundred then takes 2 kB,
/// not 40. A bit mask beside it answers word-parallel questions.
class IndexSet {
 public:
  explicit IndexSet(std::uint64_t extent) : extent_(extent), mask_((extent + 63) / 64, 0) {}

  [[nodiscard]] bool full() const { return known_ == extent_; }
  /// Known indices, oldest first.
  [[nodiscard]] std::span<const std::uint32_t> known() const { return {order_.data(), known_}; }
  /// Bit i % 64 of word i / 64 tells whether i is known.
  [[nodiscard]] std::span<const std::uint64_t> mask() const { return mask_; }

  /// Learns one unknown index, each equally likely, and returns it. @pre !full()
  std::uint32_t learn_random(Rng& rng) {
    if (!is_whole_ && known_ >= extent_ / share_that_is_few) make_whole();
    const std::size_t chosen = known_ + rng.below(extent_ - known_);
    if (is_whole_) {
      std::swap(order_[known_], order_[chosen]);
    } else {
      order_.push_back(swap_in_differences(chosen));
    }
    const std::uint32_t index = order_[known_++];
    mask_[index / 64] |= std::uint64_t{1} << (index % 64);
    return index;
  }

 private:
  static constexpr std::size_t share_that_is_few = 32;  // a difference is moved by each insertion

  /// Puts the index at place `known_` to `chosen`. @return the one that was there
  std::uint32_t swap_in_differences(std::size_t chosen) {
    const auto take = [&](std::size_t place) {
      const auto found = differences_.find(static_cast<std::uint32_t>(place));
      if (found == differences_.end()) return static_cast<std::uint32_t>(place);
      const std::uint32_t index = found->second;
      differences_.erase(found);
      return index;
    };
    const std::uint32_t next = take(known_);
    if (chosen == known_) return next;
    const std::uint32_t index = take(chosen);
    differences_.emplace(static_cast<std::uint32_t>(chosen), next);
    return index;
  }

  void make_whole() {
    order_.resize(extent_);
    std::iota(order_.begin() + static_cast<std::ptrdiff_t>(known_), order_.end(),
              static_cast<std::uint32_t>(known_));
    for (const auto& [place, index] : differences_) order_[place] = index;
    differences_ = {};
    is_whole_ = true;
  }

  std::size_t extent_;
  std::vector<std::uint32_t> order_;  ///< the known ones, or all where it is whole
  boost::container::flat_map<std::uint32_t, std::uint32_t> differences_;  ///< from order_[i] == i
  std::vector<std::uint64_t> mask_;
  std::size_t known_ = 0;
  bool is_whole_ = false;
};

}  // namespace damocles
