#pragma once

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "sim/unlimited_run.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// One run in virtual time: where the platform has a machine model simulate_limited(), the general
/// runtime; else simulate_unlimited(), the fast path.
///
/// @param seed, replicate  with the strategy's options, all that the run depends on
/// @param observer, watcher  as either says; where memory is limited nobody is told grant by grant
/// @throws NoProgress if the strategy stops granting before every task ran, and as either says
[[nodiscard]] Trace simulate(const Workload& workload, const Platform& platform,
                             const StrategyChoice& strategy, std::uint64_t seed,
                             std::uint64_t replicate, const Observer& observer = {},
                             const Watcher& watcher = {});

}  // namespace damocles
