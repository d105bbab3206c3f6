#pragma once

#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// All tasks in the order in which Prim's algorithm includes them in a maximum spanning tree of the
/// task graph G_T, whose weights are the bytes that two tasks share, from task 0.
///
/// Next is always the task that shares most with a single one included before it, of equals the
/// lowest id; so a graph in several components goes on with its lowest task left.
///
/// G_T is not written out. A data item no two of whose users share another data item is walked
/// once, for the first of them; only data that may be part of a larger share are walked for every
/// user. So O(edges of the bipartite graph x most inputs + m log m) where no two tasks share two
/// data (2D and 3D products, Cholesky), plus the sum of squares of the number of users of all other
/// data.
///
/// Source: COLOC21, section 3 (MST), after Yoo et al. Checked against Prim's algorithm by linear
/// scans, and against Boost's, by tests/orders/mst_order_test.cpp.
[[nodiscard]] std::vector<TaskGraph::Index> mst_order(const TaskGraph& graph);

}  // namespace damocles
