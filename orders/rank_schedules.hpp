#pragma once

#include <vector>

#include "orders/planned_schedule.hpp"

namespace damocles {

/// CPOP: of ready tasks the one of the highest upward plus downward rank goes first (ties: the
/// lower task). Tasks of one longest way through the graph go to the processor that takes least for
/// all of them, others where they end first; all into gaps. O(e p) and the gaps.
///
/// Decided here: the way begins at the task of the highest upward rank of those that wait for none,
/// and goes on by that rank and the transfer; ties: the lower task. Where no processor runs all of
/// the way, its processor is one that runs most of it, of these one that takes least for that; what
/// it cannot run goes where it ends first. Ties: the lower processor.
///
/// @return shape (tasks)
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002, section 4.3.
[[nodiscard]] std::vector<Placement> cpop_schedule(const PlannedGraph& graph);

/// PEFT: of ready tasks the one of the highest mean optimistic cost goes first (ties: the lower
/// task), into a gap where its end plus the optimistic cost is least; ties: the lower processor.
/// O(e p^2) and the gaps.
///
/// Decided here: the mean is over the processors that run the task; where ways differ, a transfer
/// costs what it takes between the two, not the mean.
///
/// @return shape (tasks)
/// Source: Arabnejad & Barbosa, TPDS 2014, section 4.
[[nodiscard]] std::vector<Placement> peft_schedule(const PlannedGraph& graph);

}  // namespace damocles
