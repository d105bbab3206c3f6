#include "strategies/parts/foresight.hpp"

#include <cstdint>
#include <numeric>

#include "sim/simulate.hpp"

namespace damocles {
namespace {

/// Of all replicates the one that nobody asks for: what a run will draw is not foreseen.
constexpr std::uint64_t rehearsal = ~std::uint64_t{0};

const RegisterForesight published{[](const Workload& workload, const Platform& platform,
                                     const StrategyChoice& choice) {
  const Trace trace = simulate(workload, platform, choice, 1, rehearsal);
  const auto& moved = platform.machine ? trace.bytes_loaded : trace.loads;
  return Foreseen{trace.makespan_s, std::accumulate(moved.begin(), moved.end(), std::uint64_t{0})};
}};

}  // namespace
}  // namespace damocles
