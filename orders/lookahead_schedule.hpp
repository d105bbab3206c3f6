#pragma once

#include <vector>

#include "orders/planned_schedule.hpp"

namespace damocles {

/// HEFT that looks ahead: tasks by falling upward rank, each placed, in a gap, on the processor
/// from where the last of those that wait for it ends first, if these are placed next as HEFT
/// places them, by falling upward rank, on what is known: what they wait for beside it counts where
/// it is placed. The processor of a task that nobody waits for is where it ends first. Ties: where
/// the task itself ends first, then the lower processor.
///
/// Of processors alike (PlannedGraph::alike()) a child asks only those that may be the first. So
/// time is about that of HEFT for each wait, O(e p log p) and the gaps, and p times that where no
/// two processors are alike.
///
/// Of the paper's variants the one without a change of priorities and with the maximum, not
/// the mean weighted, of the ends.
///
/// @return shape (tasks)
/// Source: Bittencourt, Sakellariou & Madeira, PDP 2010.
[[nodiscard]] std::vector<Placement> lookahead_schedule(const PlannedGraph& graph);

}  // namespace damocles
