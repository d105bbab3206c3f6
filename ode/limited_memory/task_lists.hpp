#pragma once

#include <vector>

#include "models/rng.hpp"
#include "ode/limited_memory/limited_run.hpp"
#include "orders/partition.hpp"

namespace damocles {

[[nodiscard]] TaskSequence tasks_as_submitted(const LimitedRun& run);

/// Tasks dealt to the processors one after the other, shape (processors).
[[nodiscard]] std::vector<TaskSequence> dealt_in_turn(const LimitedRun& run);

/// Parts of equally many tasks to within 1 %, cut in two by rows or by columns, and each part
/// again, so that both read few data items. @pre run.is_grid()
[[nodiscard]] std::vector<TaskSequence> bisected_lists(const LimitedRun& run);

/// Parts that a partitioner cuts, drawn; shape (processors). @pre partition_built()
[[nodiscard]] std::vector<TaskSequence> partitioned_lists(const LimitedRun& run,
                                                          PartitionOptions::Cost cost);

/// Each task to any of the processors, in proportion to their speeds; shape (processors).
[[nodiscard]] std::vector<TaskSequence> dealt_at_random(const LimitedRun& run, Rng& rng);

/// The order in which a schedule places tasks that wait for nobody.
enum class Placed { as_submitted, longest_first, shortest_first };

/// Each task, in that order, on the processor that would end it first, transfers ignored. Tasks of
/// equal length are thereby dealt in turn.
[[nodiscard]] std::vector<TaskSequence> planned_lists(const LimitedRun& run, Placed order);

/// Each task, in the order of submission, where ExpectedEnds allot it while nothing has ended: as
/// dmda, which places all tasks at once.
/// @param transfers_delay  see ExpectedEnds
[[nodiscard]] std::vector<TaskSequence> allotted_by_completion_time(const LimitedRun& run,
                                                                    bool transfers_delay = true);

}  // namespace damocles
