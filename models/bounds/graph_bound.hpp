#pragma once

#include <cstdint>

#include "models/bounds/load_bounds.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// Lower bound on the loads of any schedule of any task graph: the sum over its connected
/// components (tasks that share data, directly or through others) of the bound on pairs.
///
/// Loads of one component's data, looked at alone, are a schedule of that component in at most the
/// whole memory, so bounds of components add up. All pairs of inputs of a task must meet. A 2D
/// product, dense or sparse, and a 3D product without C get their best known bound in this way;
/// for tasks of three inputs and a known structure see load_bounds.hpp. Where sizes differ, M is
/// the number of the smallest data that fit: still a bound, if a weak one. Valid for one processor
/// and for all together, as every LoadBound.
///
/// Time O(sum over tasks of inputs^2); above 2^30 such steps only the compulsory loads are told.
///
/// @throws InvalidInput if a task's inputs exceed the memory
[[nodiscard]] LoadBound graph_load_bound(const TaskGraph& graph, std::uint64_t memory_bytes);

/// Bytes of all data that some task reads before it is written: each must be loaded once at least.
[[nodiscard]] std::uint64_t compulsory_bytes(const TaskGraph& graph);

}  // namespace damocles
