#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// The star expansion of a task graph, for partitioners of graphs, which know no hyperedges: tasks
/// and data are vertices, an edge is that the task reads the data. A data vertex weighs nothing, so
/// it goes where most of its tasks are, and what it costs is its tasks on the other side.
///
/// The edges of a data item have together twice its bytes: cut in halves it costs its bytes, as in
/// the hypergraph; cut elsewhere less, where the hypergraph has the same. A clique over the tasks
/// of a data item would be as wrong there, and of k tasks it has k^2 / 2 edges in the place of k:
/// 10^6 for a product of 100 x 100 tasks, of which this graph has 20 000.
///
/// Weights are whole numbers, at least 1 of what is not nothing, all of one kind together below
/// 2^30.
struct StarGraph {
  std::vector<std::int32_t> begin;           ///< of each vertex's neighbours, shape (vertices + 1)
  std::vector<std::int32_t> neighbours;      ///< both ways, shape (2 edges)
  std::vector<std::int32_t> edge_weights;    ///< of each, shape (2 edges)
  std::vector<std::int32_t> vertex_weights;  ///< tasks first, then data, by flops; 0 of data
};

/// Of data that several tasks read; the others have a vertex without neighbours.
/// @throws InvalidInput if the graph has more than 2^29 tasks, data or edges
[[nodiscard]] StarGraph star_graph(const TaskGraph& graph);

}  // namespace damocles
