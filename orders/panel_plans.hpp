#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"
#include "orders/pacing.hpp"

namespace damocles {

/// Panel streaming: which order to carry out, with the plan of its loads.
///
/// The orders of panel_order.hpp are rehearsed, the fewest bytes first, at most 2 10^6 tasks of all
/// of them together. Of those that take at most 2 % longer than the fastest the one that loads
/// least is chosen. Fewer processors are tried too, as long as these could compute all tasks in
/// less time than the fastest order takes: where all wait for the bus, fewer load fewer data items
/// twice.
///
/// @param memory_bytes     M that orders are made for [B]; `paces` say what is spare beside it
/// @param paces            of each processor, at least one
/// @param bus_bytes_per_s  that all share, > 0
/// @return                 a plan for each processor; empty for those that rest
/// @throws InvalidInput if a task's inputs exceed M
/// Source: ours; docs/explanation/panel_streaming.md.
[[nodiscard]] std::vector<PacedOrder> panel_plans(const TaskGraph& graph,
                                                  std::uint64_t memory_bytes,
                                                  std::span<const Pace> paces,
                                                  double bus_bytes_per_s);

}  // namespace damocles
