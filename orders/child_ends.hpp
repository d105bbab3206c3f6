#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "orders/planned_schedule.hpp"

namespace damocles {

/// Where a task would end first among processors alike, asked for ever later times from which it
/// may start.
///
/// Those that may start it at once are tried by number, the first that can is the answer. One that
/// was tried and cannot waits, ordered by the end that it offers, until that is the best there can
/// be: the answer of a line of gaps changes only then.
class ChildEnds {
 public:
  /// @param data_s  when the rest of the task's data is there, by processor; it outlives the object
  ChildEnds(const PlannedSchedule& schedule, std::span<const std::size_t> processors,
            double duration_s, const std::vector<double>& data_s);

  /// On the processors for which `skip` does not hold; no end where it holds for all. Ties: the
  /// lower processor.
  /// @param from_s  at least that of the call before
  template <typename Skip>
  [[nodiscard]] Placement first(double from_s, Skip&& skip) {
    const double least_s = from_s + duration_s_;
    release(least_s);
    while (true) {
      const std::size_t place = first_near(skip);
      if (place == none) break;
      const Offer offer = ask(place, from_s);
      if (offer.end_s == least_s) return placement(offer);
      near_[place / word_bits] &= ~(std::uint64_t{1} << place % word_bits);
      add(offer);
    }
    return first_waiting(skip);
  }

 private:
  static constexpr std::size_t word_bits = 64;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Offer {
    double end_s = 0;
    std::size_t place = 0;  // in `processors_`
    double start_s = 0;
  };

  /// Of those that may start at once.
  template <typename Skip>
  [[nodiscard]] std::size_t first_near(Skip&& skip) const {
    for (std::size_t word = 0; word < near_.size(); ++word) {
      for (std::uint64_t left = near_[word]; left != 0; left &= left - 1) {
        const auto place = word * word_bits + static_cast<std::size_t>(__builtin_ctzll(left));
        if (!skip(processors_[place])) return place;
      }
    }
    return none;
  }
  template <typename Skip>
  [[nodiscard]] Placement first_waiting(Skip&& skip) {
    Placement result{.end_s = std::numeric_limits<double>::infinity()};
    skipped_.clear();
    for (; !waiting_.empty(); skipped_.push_back(take())) {
      if (skip(processors_[waiting_.front().place])) continue;
      result = placement(waiting_.front());
      break;
    }
    for (const Offer& offer : skipped_) add(offer);
    return result;
  }
  [[nodiscard]] Offer ask(std::size_t place, double from_s) const;
  [[nodiscard]] Placement placement(const Offer& offer) const;
  /// Those that wait with an end of at most that may start at once.
  void release(double least_s);
  void add(const Offer& offer);
  Offer take();

  const PlannedSchedule& schedule_;
  std::span<const std::size_t> processors_;
  double duration_s_;
  const std::vector<double>& data_s_;
  std::vector<std::uint64_t> near_;  // a bit for each of `processors_`
  std::vector<Offer> waiting_;       // a heap
  std::vector<Offer> skipped_;
};

}  // namespace damocles
