#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Tasks in order for each processor, and what they load.
struct PanelOrder {
  std::vector<std::vector<TaskGraph::Index>> parts;
  std::uint64_t bytes = 0;  ///< of all processors under MIN [B]
};

/// Panel streaming: orders of the tasks that load little in a memory of M.
///
/// Of each task one input is its pivot. A panel of pivots stays in memory while the other data
/// stream past it, all tasks of a streamed data item (or of data that share a task) in turn; the
/// next panel sees them in the opposite direction (a snake), so that what memory beside the panel
/// still holds at the turn is used at once. On a 2D product of n x n tasks, n >= M, with p = ceil(n
/// / (M - 1)) panels this loads
///   2n + (p - 1)(n - M) + n - floor(n / p)
/// data under MIN, and 2n if M > n. Pivots (`choices_of_pivots`), blocks where they form a grid
/// (`pivot_blocks`), then numbers of panels grown greedily (`group_in_panels`) are tried out, up to
/// eight each; of graphs above 10^5 tasks as many as have 3 10^6 tasks together. Smaller graphs
/// are also grown load by load (`gain_order`, three penalties) and packed (`pack`): where there is
/// no structure to find these load less.
///
/// The answer depends on the graph's data and their numbers, not on the order of its tasks, but for
/// tasks with the same inputs.
///
/// @param memory_bytes  M of each processor [B]
/// @param processors    that will share the work, >= 1
/// @return              all that were tried, in each every task once
/// @throws InvalidInput if a task's inputs exceed M, or without processors
/// Source: ours; checked against exhaustive optima by tests/orders/panel_order_test.cpp.
[[nodiscard]] std::vector<std::vector<TaskGraph::Index>> panel_sequences(const TaskGraph& graph,
                                                                         std::uint64_t memory_bytes,
                                                                         std::size_t processors);

/// Cuts each sequence into parts, one a processor, whose flops are in proportion to the speeds.
///
/// @param speeds  of each processor, in any unit; > 0
/// @return  the fewest bytes first, of equal ones in the order given
/// @throws InvalidInput if a task's inputs exceed M
[[nodiscard]] std::vector<PanelOrder> split_orders(
    const TaskGraph& graph, const std::vector<std::vector<TaskGraph::Index>>& sequences,
    std::uint64_t memory_bytes, std::span<const double> speeds);

}  // namespace damocles
