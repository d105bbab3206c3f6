#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/platform.hpp"

namespace damocles {

/// Links between processors in virtual time: each direction of each carries one copy after the
/// other, in the order in which they were asked for, all links at once. A copy first waits the
/// latency. O(log copies) a copy.
class PeerLinks {
 public:
  struct Copy {
    ProcessorId from;
    ProcessorId to;
    DataId data;
  };

  explicit PeerLinks(const Limits& limits)
      : limits_(limits),
        free_s_(limits.has_peers() ? limits.gpus.size() * limits.gpus.size() : 0, 0) {}

  /// @pre the two have a link
  void order(const Copy& copy, double bytes, double now);

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

  const Limits& limits_;
  std::vector<double> free_s_;  // when the link from one processor to another has carried all
  std::priority_queue<Ending> copies_;
  std::uint64_t asked_ = 0;
};

}  // namespace damocles
