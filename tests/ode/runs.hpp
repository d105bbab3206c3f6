// The mean of simulated loads, with which models are compared.

#pragma once

#include <cstdint>
#include <vector>

#include "sim/simulate.hpp"
#include "tests/statistics.hpp"

namespace damocles {

/// Loads of so many runs, seed 1: their mean and the variance of that mean.
inline Mean mean_loads(const Workload& workload, const Platform& platform,
                       const StrategyChoice& strategy, std::uint64_t runs) {
  std::vector<double> loads;
  for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
    loads.push_back(
        static_cast<double>(simulate(workload, platform, strategy, 1, replicate).total_loads()));
  }
  return mean_of(loads);
}

}  // namespace damocles
