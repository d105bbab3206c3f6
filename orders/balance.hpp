#pragma once

#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Moves tasks from the tail of the package with most load to the end of the one with least until
/// all have the same, as nearly as whole tasks allow.
///
/// Load is the number of tasks where all have the same flops, else the sum of flops. One move takes
/// min(most - mean, mean - least), in the order they had; where the last task is more than that,
/// the last one that narrows the gap moves alone. So in the end the largest package holds no task
/// whose load is above 0 and below most - least.
///
/// Source: IPDPS22 Algorithm 4, lines 2 to 6; what happens to tasks that fit no gap is ours.
void balance(std::vector<std::vector<TaskGraph::Index>>& packages, const TaskGraph& graph);

}  // namespace damocles
