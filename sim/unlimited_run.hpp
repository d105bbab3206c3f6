#pragma once

#include <cstdint>
#include <functional>

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Told of every grant as it takes effect, for tests and traces: time [s], processor, grant.
using Observer = std::function<void(double, ProcessorId, const Grant&)>;

/// The fast path: one run in virtual time as HPDC'14 defines it. Processor k computes a task in
/// 1/s_k; communication is free and overlapped; processors ask by the rules of UnlimitedGrants,
/// each again when it has computed all it was granted; ties break by processor id. Loads are
/// counted here, where data moves.
///
/// An event is a grant, of however many tasks, and no task is named: 10^9 tasks take seconds.
/// UnlimitedMemoryRuntime does the same load by load and task by task, and so does
/// MemoryAwareRuntime where memory holds everything and copies take no time: both laws are held by
/// tests/sim/unlimited_agreement_test.cpp. It stays on its own for its speed
/// (docs/explanation/what_makes_it_fast.md).
///
/// @param seed, replicate  with the strategy's options, all that the run depends on
/// @param watcher  told at each grant of its tasks, of its loads, which end as they start, and of
///                 when each task will start and end
/// @throws Infeasible where tasks wait for others or write
/// @throws NoProgress if the strategy stops granting before every task ran, or sends a data item
/// twice Source: HPDC'14 section 3.4 ("ad-hoc event based simulation tool"); dyn.x: section 3.5.
[[nodiscard]] Trace simulate_unlimited(const Workload& workload, const Platform& platform,
                                       const StrategyChoice& strategy, std::uint64_t seed,
                                       std::uint64_t replicate, const Observer& observer = {},
                                       const Watcher& watcher = {});

}  // namespace damocles
