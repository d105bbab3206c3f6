// Strategies and eviction policies whose answers are checked: those of plug-ins, whose mistakes
// must end in a line that names them, not in a crash.
#pragma once

#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// The same strategy, which ends a run with NoProgress that names it where it grants a task that is
/// not there, was granted before or is not ready yet, or data that are not there; where it sends
/// data without end and no task, or wakes processors without end; and where it throws.
[[nodiscard]] StrategyEntry with_checked_answers(StrategyEntry entry);

/// The same policy, which does so where it chooses what may not be evicted, and where it throws.
[[nodiscard]] EvictionEntry with_checked_answers(EvictionEntry entry);

}  // namespace damocles
