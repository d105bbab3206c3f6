#pragma once

#include <functional>

#include "models/platforms/platform.hpp"
#include "models/rng.hpp"
#include "models/runs/trace.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Told of every grant as it takes effect, for tests and traces: time [s], processor, grant.
using Observer = std::function<void(double, ProcessorId, const Grant&)>;

/// One run in virtual time: where the platform has limits, simulate_limited(); else as HPDC'14
/// defines it: processor k computes a task in 1/s_k;
/// communication is free and overlapped; all ask at time 0 in random order; a grant with data but
/// no task is answered by asking again at once. Ties break by processor id. Loads are counted here,
/// where data moves.
///
/// @param seed, replicate  with the strategy's options, all that the run depends on
/// @param watcher  with limits as simulate_limited() says; else told at each grant of its tasks, of
///                 its loads, which end as they start, and of when each task will start and end
/// @throws NoProgress if the strategy stops granting before every task ran, or sends a data twice
/// Source: HPDC'14 section 3.4 ("ad-hoc event based simulation tool"); dyn.x: section 3.5.
[[nodiscard]] Trace simulate(const Workload& workload, const Platform& platform,
                             const StrategyChoice& strategy, std::uint64_t seed,
                             std::uint64_t replicate, const Observer& observer = {},
                             const Watcher& watcher = {});

}  // namespace damocles
