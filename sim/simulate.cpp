#include "sim/simulate.hpp"

#include "sim/limited_run.hpp"

namespace damocles {

Trace simulate(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
               std::uint64_t seed, std::uint64_t replicate, const Observer& observer,
               const Watcher& watcher) {
  return platform.machine
             ? simulate_limited(workload, platform, strategy, seed, replicate, watcher)
             : simulate_unlimited(workload, platform, strategy, seed, replicate, observer, watcher);
}

}  // namespace damocles
