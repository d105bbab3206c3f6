#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// An order of tasks grown load by load, for graphs without a structure to find.
///
/// Of the data x that are not in memory, the next is the one with the largest
///   score(x) = tasks that lack x alone - penalty * open tasks that read x,
/// per byte of x (times its bytes where negative), the lowest of equal ones. The first is what the
/// load gains, the second what it leaves to do: data that few tasks still read are brought to an
/// end, so that they are never loaded again. With the data come what else its first task lacks, and
/// all tasks that then lack nothing run. What leaves is what the fewest open tasks read, the one
/// used longest ago of equal ones, what the loads' own tasks read last of all.
///
/// Time O(sum over loads of a data item of the tasks that read it, log data each).
///
/// The answer depends on the graph's data and their numbers, not on the order of its tasks, but for
/// tasks with the same inputs.
///
/// @param memory_bytes  M [B]
/// @param penalty       >= 0; near 0 the gain alone decides, from about 1 on what is left
/// @return              every task once
/// @throws InvalidInput if a task's inputs exceed M
/// Source: ours; IPDPS22 Algorithm 5 (DARTS) looks at the gain alone.
[[nodiscard]] std::vector<TaskGraph::Index> gain_order(const TaskGraph& graph,
                                                       std::uint64_t memory_bytes, double penalty);

}  // namespace damocles
