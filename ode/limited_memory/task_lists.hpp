#pragma once

#include <vector>

#include "models/rng.hpp"
#include "ode/limited_memory/limited_run.hpp"

namespace damocles {

/// Tasks dealt to the processors one after the other, shape (processors).
[[nodiscard]] std::vector<TaskSequence> dealt_in_turn(const LimitedRun& run);

/// Each task to any of the processors, shape (processors).
[[nodiscard]] std::vector<TaskSequence> dealt_at_random(const LimitedRun& run, Rng& rng);

/// Each task, in the order of submission, where its expected end and the time of its transfers add
/// up to the least: as dmda allots them. A transfer takes what the bus needs where all processors
/// take as much, in both directions; only the first one of a data item to a processor counts.
[[nodiscard]] std::vector<TaskSequence> allotted_by_completion_time(const LimitedRun& run);

}  // namespace damocles
