#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/ids.hpp"

namespace damocles {

/// The places of data in host memory where tasks write them: which hold an old version, and which
/// are being read by loads.
///
/// A runtime may let a data item return while a load of an older version, which nobody will use,
/// is still on its way: the return waits here until that has ended. (A load never comes upon a
/// return: the runtime orders it when that has ended.)
class HomeCopies {
 public:
  explicit HomeCopies(std::uint64_t data) : places_(data) {}

  /// A task writes the data on a processor: what host memory holds is old.
  void written(DataId data) { at(data).old = true; }
  /// A task writes the data in host memory.
  void written_there(DataId data) { at(data).old = false; }
  /// Calls visit(DataId) for all data of which host memory holds an old version.
  template <typename Visit>
  void for_each_old(Visit&& visit) const {
    for (std::size_t data = 0; data < places_.size(); ++data) {
      if (places_[data].old) visit(DataId{data});
    }
  }

  void load_begins(DataId data) { ++at(data).readers; }
  /// True if a return may go on that had to wait for this.
  [[nodiscard]] bool load_ended(DataId data) {
    Place& place = at(data);
    return --place.readers == 0 && std::exchange(place.awaited, false);
  }

  /// Whether no load reads it; if not, load_ended() will say that somebody waits.
  [[nodiscard]] bool may_return(DataId data) {
    Place& place = at(data);
    place.awaited = place.readers > 0;
    return !place.awaited;
  }
  /// Home holds it as it is now.
  void return_ended(DataId data) { at(data).old = false; }

 private:
  struct Place {
    std::uint32_t readers = 0;
    bool old = false;
    bool awaited = false;
  };

  [[nodiscard]] Place& at(DataId data) { return places_[raw(data)]; }

  std::vector<Place> places_;
};

}  // namespace damocles
