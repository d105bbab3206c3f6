#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"
#include "orders/panels.hpp"

namespace damocles {

/// Groups pivots into panels that are blocks of a grid, where they form one.
///
/// Two data items stream past a pivot together: say a first and a second. Data that are first for
/// one pivot lie on one line, so do those that are second. If no two pivots then have the same pair
/// of lines, the pivots are points of a grid: in a 3D product the tile (i, j) of C on row i of A
/// and column j of B; in Cholesky's on rows i and j of the one matrix. A block of r x c points lets
/// r + c data pass for r c tasks, which is what the sqrt(M) of the lower bounds comes from. Blocks
/// are of consecutive lines and follow each other in a snake.
///
/// @param memory_bytes  M: a block, its shorter side of what streams and one data item more fit in
/// it
/// @return  some partitions of the pivots into panels, from near-square blocks to wider ones; none
///          where the pivots form no grid. Pivots past which no pair streams come with the grid
///          points of their line, or in panels of their own
/// Source: ours, after the blocks of C of Smith, Lowery, Langou & van de Geijn, "A tight I/O lower
/// bound for matrix multiplication" (arXiv:1702.02017).
[[nodiscard]] std::vector<std::vector<std::vector<TaskGraph::Index>>> pivot_blocks(
    const TaskGraph& graph, const Pivots& pivots, std::uint64_t memory_bytes);

}  // namespace damocles
