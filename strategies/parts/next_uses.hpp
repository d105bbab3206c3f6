#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "orders/use_set.hpp"

namespace damocles {

/// The data in one processor's memory by where its list of tasks reads them next, and those it does
/// not read again: so that Belady's victim is found without looking at all of them.
///
/// A position is one task's, so few data items share it; a set of positions as bits knows its
/// largest. What is not read again is kept in the order in which it was touched. All changes in
/// O(1) or O(log) of the positions or of the data not read again.
class NextUses {
 public:
  using Index = std::uint32_t;
  /// The position of what is not read again.
  static constexpr Index unread = std::numeric_limits<Index>::max();

  explicit NextUses(std::size_t data)
      : places_(data), last_touch_(data, 0), first_at_(1, none), positions_(1) {}

  /// The data is in memory, and read next at `position`: now, or instead of where it was before.
  void put(Index data, Index position);
  /// It is there no longer. Nothing changes where it was not.
  void drop(Index data);
  /// It was loaded, or a task that reads or writes it started: of data that are read next at the
  /// same place, or nowhere, the one touched longest ago comes first. Counts for what is not there,
  /// too.
  void touch(Index data);
  [[nodiscard]] bool contains(Index data) const { return places_[data].there; }

  /// The data that is read last of those for which accept(data) says true; first what is not read
  /// again.
  template <typename Accept>
  [[nodiscard]] std::optional<Index> last(Accept&& accept) const {
    for (const auto& [touch, data] : unread_) {
      if (accept(data)) return data;
    }
    if (positions_.empty()) return std::nullopt;
    for (std::optional at(positions_.largest()); at; at = positions_.largest_below(*at)) {
      std::optional<Index> oldest;
      for (Index data = first_at_[*at]; data != none; data = places_[data].next) {
        if (oldest && last_touch_[data] > last_touch_[*oldest]) continue;
        if (accept(data)) oldest = data;
      }
      if (oldest) return oldest;
    }
    return std::nullopt;
  }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();

  /// Where a data item is: its position, and the next data that is read there.
  struct Place {
    Index position = unread;
    Index next = none;
    bool there = false;
  };

  void grow(std::size_t positions);

  std::vector<Place> places_;                         // by data
  std::vector<std::uint64_t> last_touch_;             // by data
  std::vector<Index> first_at_;                       // by position
  UseSet positions_;                                  // at which something in memory is read next
  std::set<std::pair<std::uint64_t, Index>> unread_;  // by last touch
  std::uint64_t touches_ = 0;
};

}  // namespace damocles
