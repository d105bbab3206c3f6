#pragma once

#include <vector>

#include "orders/planned_schedule.hpp"

namespace damocles {

/// BIL: the best imaginary level of a task on a processor is its duration there and its optimistic
/// cost (optimistic_costs()), what it takes to the end if all behind it ran where that is least;
/// its best imaginary makespan, BIM, that and when it could start. With r ready tasks the one goes
/// first whose r-th smallest BIM is largest, or largest finite one where fewer processors run it;
/// ties: the next smaller ones, then the lower task. It goes where BIM + duration * max(r/p - 1, 0)
/// is least; ties: where that of all other ready tasks together is largest, then the lower
/// processor.
///
/// A chain is scheduled optimally (the paper's theorem), and so when a task could start counts what
/// it is passed.
///
/// @return shape (tasks)
/// Source: Oh & Ha, Euro-Par 1996.
[[nodiscard]] std::vector<Placement> bil_schedule(const PlannedGraph& graph);

}  // namespace damocles
