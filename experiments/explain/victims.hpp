#pragma once

#include <cstdint>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"

namespace damocles {

/// How well victims were chosen, of a sample of the evictions after which the data item was used
/// again on the same processor: beside all others that might have been evicted.
struct VictimChoice {
  std::uint64_t soonest = 0;   ///< it was the one needed soonest
  std::uint64_t farthest = 0;  ///< it was the one needed last, as MIN chooses
  std::uint64_t between = 0;

  /// As in a loop over more data than fit, under LRU.
  [[nodiscard]] bool mostly_soonest() const { return soonest > farthest + between; }
};

[[nodiscard]] VictimChoice victim_choice(const std::vector<RunEvent>& events,
                                         const Workload& workload, const Platform& platform);

}  // namespace damocles
