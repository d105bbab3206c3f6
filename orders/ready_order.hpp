#pragma once

#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Which of several ready tasks goes first.
enum class ReadyFirst { earliest, highest_priority };

/// The order in which a single processor runs the tasks if it takes them as they become ready: the
/// one that was ready first, or the one of the highest priority, of equal ones the one that was
/// ready first. Tasks that one task makes ready follow each other in the order of submission.
/// Turns on data on which tasks commute are not counted.
[[nodiscard]] std::vector<TaskGraph::Index> ready_order(const TaskGraph& graph, ReadyFirst first);

/// Whether the dependencies leave the tasks one order only.
[[nodiscard]] bool is_chain(const TaskGraph& graph);

}  // namespace damocles
