#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"
#include "orders/partition.hpp"

namespace damocles {

/// The tasks of a part in pieces that each read no more than memory holds, one after the other.
///
/// Recursive bisection as in partition(), all tasks weighing the same, until a piece fits (or is
/// one task). Of the halves of a cut the one goes first that shares more bytes with the piece
/// before. Where F bytes are read and M fit, a half gets the whole number of the (F / M)^2 pieces
/// there are to be where each pair of data is a task, so that they end near M; each may have 1.1
/// times that. Within a piece tasks follow in the order in which loads free most of them
/// (gain_order), what the piece before reads being there.
///
/// @param tasks         of the graph, each once
/// @param memory_bytes  M [B]
/// @return              all of them, in order; the same for the same seed
/// @throws InvalidInput, NoProgress as partition()
[[nodiscard]] std::vector<TaskGraph::Index> in_pieces(const TaskGraph& graph,
                                                      std::span<const TaskGraph::Index> tasks,
                                                      std::uint64_t memory_bytes,
                                                      std::uint64_t seed,
                                                      const PartitionOptions& options = {});

}  // namespace damocles
