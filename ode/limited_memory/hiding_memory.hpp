#pragma once

#include <cstddef>
#include <optional>

#include "ode/limited_memory/limited_run.hpp"

namespace damocles {

/// How many data items a memory must hold so that transfers hide behind computing, M*: from then on
/// the makespan is that of a memory for all data items, or hardly longer. Nothing: no memory
/// suffices, as first loads alone take longer than the tasks.

/// Of tasks dealt in turn: where transfers are too slow for one a task, from where a round of
/// columns stays in memory. @pre run.is_grid()
[[nodiscard]] std::optional<std::size_t> hiding_memory_of_rounds(const LimitedRun& run);

/// Of panels that stay while the other data items stream past. @pre run.is_grid(), one processor
[[nodiscard]] std::optional<std::size_t> hiding_memory_of_panels(const LimitedRun& run);

}  // namespace damocles
