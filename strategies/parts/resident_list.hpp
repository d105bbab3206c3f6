#pragma once

#include <cstdint>
#include <vector>

#include "models/ids.hpp"

namespace damocles {

/// The data in one processor's memory as a list, from the one touched longest ago on; every change
/// O(1). Links lie in an array over all data: intrusive, nothing is allocated after the start.
class ResidentList {
 public:
  static constexpr double bytes_by_data = 2 * sizeof(std::uint32_t);

  explicit ResidentList(std::uint64_t data)
      : links_(data + 1, Link{absent, absent}), end_(static_cast<std::uint32_t>(data)) {
    links_[end_] = {end_, end_};
  }

  [[nodiscard]] bool contains(DataId data) const { return links_[raw(data)].next != absent; }
  /// Appends `data`. @pre not contained
  void push_back(DataId data) { link(static_cast<std::uint32_t>(raw(data))); }
  /// @pre contained
  void remove(DataId data) {
    Link& link = links_[raw(data)];
    links_[link.previous].next = link.next;
    links_[link.next].previous = link.previous;
    link = {absent, absent};
  }
  /// Makes `data` the last one. @pre contained
  void touch(DataId data) {
    remove(data);
    push_back(data);
  }

  /// The first data item, from the oldest on, for which accept(DataId) says true; `absent` if none.
  template <typename Accept>
  [[nodiscard]] bool find(Accept&& accept, DataId& found) const {
    for (std::uint32_t at = links_[end_].next; at != end_; at = links_[at].next) {
      if (!accept(DataId{at})) continue;
      found = DataId{at};
      return true;
    }
    return false;
  }

 private:
  struct Link {
    std::uint32_t previous;
    std::uint32_t next;
  };
  static constexpr std::uint32_t absent = ~std::uint32_t{0};

  void link(std::uint32_t at) {
    const std::uint32_t last = links_[end_].previous;
    links_[at] = {last, end_};
    links_[last].next = at;
    links_[end_].previous = at;
  }

  std::vector<Link> links_;  // the last one is the ends of the list
  std::uint32_t end_;
};

}  // namespace damocles
