#pragma once

#include <vector>

#include "orders/planned_schedule.hpp"

namespace damocles {

/// HEFT: tasks by falling upward rank (ties: the lower task), each placed where it ends first, in
/// the earliest gap between tasks that is long enough; ties: the lower processor. O(e p) and the
/// gaps.
///
/// @return shape (tasks)
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002, section 4.2.
[[nodiscard]] std::vector<Placement> heft_schedule(const PlannedGraph& graph);

/// HEFT that looks ahead: tasks by falling upward rank, each placed, in a gap, on the processor
/// from where the last of those that wait for it ends first, if these are placed next as HEFT
/// places them, by falling upward rank, on what is known: what they wait for beside it counts where
/// it is placed. The processor of a task that nobody waits for is where it ends first. Ties: where
/// the task itself ends first, then the lower processor. O(e p^2) questions, each as long as the
/// gaps and the tasks that wait for one.
///
/// Of the paper's variants the one without a change of priorities and with the maximum, not
/// the mean weighted, of the ends.
///
/// @return shape (tasks)
/// Source: Bittencourt, Sakellariou & Madeira, PDP 2010.
[[nodiscard]] std::vector<Placement> lookahead_schedule(const PlannedGraph& graph);

}  // namespace damocles
