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

}  // namespace damocles
