#pragma once

#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// All tasks by their sorted inputs, then by their ids: an order that does not depend on that of
/// their submission, but for tasks with the same inputs.
[[nodiscard]] std::vector<TaskGraph::Index> by_inputs(const TaskGraph& graph);

/// All tasks by their ids.
[[nodiscard]] std::vector<TaskGraph::Index> as_submitted(const TaskGraph& graph);

}  // namespace damocles
