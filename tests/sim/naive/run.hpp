#pragma once

#include <cstdint>

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles::naive {

/// A run with limited memory as docs/reference/limited_memory.md and docs/reference/dependencies.md
/// define it: what simulate_limited() gives, event for event, with decisions free of charge.
///
/// Nothing is kept that could be found by looking at all: of what goes fast in strategies/runtime/
/// and sim/ nothing is used here, so that it can be changed without fear. It is the place to look
/// up what happens after what.
[[nodiscard]] Trace simulate(const Workload& workload, const Platform& platform,
                             const StrategyChoice& strategy, std::uint64_t seed,
                             std::uint64_t replicate, const Watcher& watcher);

}  // namespace damocles::naive
