#include "strategies/foresight.hpp"

#include <numeric>

#include "sim/simulate.hpp"

namespace damocles {
namespace {

const RegisterForesight published{[](const Workload& workload, const Platform& platform,
                                     const StrategyChoice& choice) {
  const Trace trace = simulate(workload, platform, choice, 1, 0);
  const auto& moved = platform.limits ? trace.bytes_loaded : trace.loads;
  return Foreseen{trace.makespan_s, std::accumulate(moved.begin(), moved.end(), std::uint64_t{0})};
}};

}  // namespace
}  // namespace damocles
