#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/routing_table.hpp"

namespace damocles {

/// Links between processors in virtual time: each direction of each, or both together, carries one
/// copy after the other, in the order in which they were asked for, all links at once. A copy over
/// several holds them all (RoutingTable). It first waits its latency. O(log copies + its links) a
/// copy.
class PeerLinks {
 public:
  struct Copy {
    ProcessorId from;
    ProcessorId to;
    DataId data;
  };

  /// Of as many lines as RoutingTable has.
  explicit PeerLinks(std::uint64_t lines) : free_s_(lines, 0) {}

  /// @param way  over links, from the one to the other
  void order(const Copy& copy, const PeerPath& path, double bytes, double now);

  /// When the next copy ends; infinity if none is on its way.
  [[nodiscard]] double next_time() const {
    return copies_.empty() ? std::numeric_limits<double>::infinity() : copies_.top().end_s;
  }
  /// Takes the copy that ends next. Ties: the one asked for first. @pre there is one
  Copy advance();

 private:
  struct Ending {
    double end_s;
    std::uint64_t asked;  // in order
    Copy copy;
    friend bool operator<(const Ending& a, const Ending& b) {  // the soonest is on top
      return a.end_s != b.end_s ? a.end_s > b.end_s : a.asked > b.asked;
    }
  };

  std::vector<double> free_s_;  // when each line has carried all that was asked for
  std::priority_queue<Ending> copies_;
  std::uint64_t asked_ = 0;
};

}  // namespace damocles
