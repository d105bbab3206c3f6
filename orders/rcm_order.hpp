#pragma once

#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// All tasks in reverse Cuthill-McKee order of the task graph G_T, in which tasks are adjacent that
/// read a common data item: neighbours come to stand near each other.
///
/// Each component is searched in breadth from an end of it (George & Liu's pseudo-peripheral task,
/// sought from the component's lowest), the new neighbours of a task by degree, then by id; at the
/// end all is reversed. The order is that of boost::cuthill_mckee_ordering() with ties broken by
/// id, but G_T's edges, up to m^2, are not walked: the first task that reads a data item has all
/// the others for neighbours, so no later one finds a new neighbour through it. One search costs
/// O(edges of the bipartite graph + m log m). Boost itself on an adaptor that lists those edges
/// gives the same order of a 300 x 300 product in 34 times the time (145 ms), of 1000 x 1000 in 72
/// times (4.6 s).
///
/// A task's degree is the sum over its inputs of the other users: the number of its neighbours
/// where tasks share at most one data item, else each neighbour counts as often as it shares one
/// (the weight w_T of COLOC21). Counting neighbours once would need G_T's edges again.
///
/// Source: COLOC21, section 3 (RCM); start: boost::find_starting_node(). Checked against Boost on
/// the written-out graph by tests/orders/rcm_order_test.cpp.
[[nodiscard]] std::vector<TaskGraph::Index> rcm_order(const TaskGraph& graph);

}  // namespace damocles
