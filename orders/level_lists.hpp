#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Lists of the tasks of a graph, at most one a processor, each task once.
using ListsOf = std::function<std::vector<std::vector<TaskGraph::Index>>(const TaskGraph& graph)>;

/// Lists for tasks that wait for others, level by level: tasks of one depth (models/levels.hpp)
/// wait for none of each other, so they are a graph of their own, which `lists_of` parts; of no
/// more tasks than processors each is a part. The parts of a level go to processors one after the
/// other, always the pair first that has most bytes in common: data that the part accesses and that
/// the processor accessed before, and nobody has written since; of equal ones the first part on the
/// first processor.
///
/// @param lists_of  of a level: its tasks with the data they access, as if they read them
/// @return          of each processor, in the order of levels and there of the part
[[nodiscard]] std::vector<std::vector<TaskGraph::Index>> level_lists(const TaskGraph& graph,
                                                                     std::size_t processors,
                                                                     const ListsOf& lists_of);

}  // namespace damocles
