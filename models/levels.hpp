#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// The bottom level of every task: the longest way from its start to the end of the last task that
/// waits for it, b(t) = w(t) + max over u after t of b(u). What passes between tasks is not
/// counted.
///
/// @param weights  w of each task, in whatever unit, >= 0, shape (m)
/// @return b, shape (m), in the unit of the weights
/// Source: COMPAS'23, section 4.3 ("the time to completion if the platform is not constrained");
/// upward_ranks() of Topcuoglu, Hariri & Wu, TPDS 2002, counts transfers too.
[[nodiscard]] std::vector<double> bottom_levels(const TaskGraph& graph,
                                                std::span<const double> weights);

/// How many tasks stand before each on the longest way to it: those of one depth wait for none of
/// each other, but may take turns on data. Shape (m).
[[nodiscard]] std::vector<std::uint32_t> depths(const TaskGraph& graph);

/// The longest way through the graph, or where it is longer all tasks that commute on one data
/// item, as they take turns; in the unit of the weights: no schedule is shorter.
[[nodiscard]] double critical_path(const TaskGraph& graph, std::span<const double> weights);

}  // namespace damocles
