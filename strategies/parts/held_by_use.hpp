#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace damocles {

/// The data in one processor's memory in the order in which Belady's rule evicts them: what is read
/// last goes first, of equal ones what was touched longest ago. As NextUses, but it takes no room
/// for places. In order from the first question on; then all changes take O(log) of the data there.
class HeldByUse {
 public:
  using Index = std::uint32_t;
  /// The place of what is not read again.
  static constexpr Index unread = std::numeric_limits<Index>::max();

  explicit HeldByUse(std::size_t data) : at_(data) {}

  [[nodiscard]] bool contains(Index data) const { return at_[data].place != absent; }
  /// Where it is read next. @pre contains(data)
  [[nodiscard]] Index place(Index data) const { return at_[data].place; }
  /// The data is in memory, and read next at `place`: now, or instead of where it was before.
  void put(Index data, Index place) { change(data, {place, at_[data].touched}); }
  /// It is there no longer.
  void drop(Index data) { change(data, {absent, at_[data].touched}); }
  /// It was loaded, or a task that reads or writes it started. Counts for what is not there, too.
  void touch(Index data) { change(data, {at_[data].place, ++touches_}); }
  /// The first for which accept(data) says true.
  template <typename Accept>
  [[nodiscard]] std::optional<Index> first(Accept&& accept) {
    for (Index data = 0; !ordered_ && data < at_.size(); ++data) {
      if (contains(data)) order_.insert(key(data));
    }
    ordered_ = true;
    for (const Key& key : order_) {
      if (accept(std::get<2>(key))) return std::get<2>(key);
    }
    return std::nullopt;
  }

 private:
  using Key = std::tuple<Index, Index, Index>;  // unread - place, last touch, data
  static constexpr Index absent = unread - 1;
  struct At {
    Index place = absent;
    Index touched = 0;
  };

  [[nodiscard]] Key key(Index data) const {
    return {unread - at_[data].place, at_[data].touched, data};
  }
  void change(Index data, At now) {
    auto known =
        ordered_ && contains(data) ? order_.extract(key(data)) : decltype(order_)::node_type();
    at_[data] = now;
    if (!ordered_ || !contains(data)) return;
    if (known.empty()) {
      order_.insert(key(data));
    } else {
      known.value() = key(data);
      order_.insert(std::move(known));
    }
  }

  std::vector<At> at_;  // by data
  std::set<Key> order_;
  bool ordered_ = false;
  Index touches_ = 0;
};

}  // namespace damocles
