#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "models/ids.hpp"

namespace damocles {

/// When each processor is next idle: the earliest first, ties by processor id.
///
/// A winner tree: every processor has one leaf for the whole run, and changing its time replays
/// log2(p) matches without moving anything else. Few processors are looked through instead, when
/// somebody asks who is next.
class EventQueue {
 public:
  /// Nobody waits.
  explicit EventQueue(std::size_t processors)
      : leaves_(std::bit_ceil(processors)), time_(leaves_, never), winner_(2 * leaves_) {
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
      winner_[leaves_ + leaf] = static_cast<std::uint32_t>(leaf);
    }
    for (std::size_t node = leaves_ - 1; node > 0; --node) play(node);
  }

  [[nodiscard]] bool empty() const { return next_time() == never; }
  [[nodiscard]] ProcessorId next() const { return ProcessorId{first()}; }
  [[nodiscard]] double next_time() const { return time_[first()]; }

  [[nodiscard]] double time_of(ProcessorId processor) const { return time_[raw(processor)]; }

  /// @pre time >= 0
  void set(ProcessorId processor, double time) {
    time_[raw(processor)] = time;
    if (leaves_ <= few) {
      known_ = false;
      return;
    }
    std::uint64_t winner = raw(processor);
    auto best = std::bit_cast<std::uint64_t>(time);  // of times >= 0, in the same order
    // Who wins is a coin toss, so no branch: the winner is carried along and chosen by a mask.
    for (std::size_t node = leaves_ + winner; node > 1; node /= 2) {
      const std::uint64_t other = winner_[node ^ 1U];
      const auto other_time = std::bit_cast<std::uint64_t>(time_[other]);
      const auto wins = static_cast<std::uint64_t>(other_time < best) |
                        (static_cast<std::uint64_t>(other_time == best) &
                         static_cast<std::uint64_t>(other < winner));
      winner ^= (winner ^ other) & (0 - wins);
      best ^= (best ^ other_time) & (0 - wins);
      winner_[node / 2] = static_cast<std::uint32_t>(winner);
    }
  }
  void remove(ProcessorId processor) { set(processor, never); }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr std::size_t few = 8;

  [[nodiscard]] std::uint32_t first() const {
    if (!known_) find_first();
    return winner_[1];
  }
  void find_first() const {
    const auto first = std::min_element(time_.begin(), time_.end());
    winner_[1] = static_cast<std::uint32_t>(first - time_.begin());
    known_ = true;
  }

  void play(std::size_t node) {
    const std::uint32_t left = winner_[2 * node];
    const std::uint32_t right = winner_[2 * node + 1];
    winner_[node] = time_[right] < time_[left] ? right : left;  // left has the smaller ids
  }

  std::size_t leaves_;
  std::vector<double> time_;
  mutable std::vector<std::uint32_t> winner_;
  mutable bool known_ = true;  // who is first; of many always
};

}  // namespace damocles
