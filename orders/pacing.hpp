#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// What one processor may count on.
struct Pace {
  double flops_per_s = 0;     ///< > 0
  double bytes_per_s = 0;     ///< of its link, > 0
  double load_latency_s = 0;  ///< before each, >= 0
  /// Memory that loads may run ahead in, beside the M that the order was made for [B].
  std::uint64_t spare_bytes = 0;
};

/// A load in an order of tasks.
struct PlannedLoad {
  TaskGraph::Index data;
  TaskGraph::Index after;  ///< so many tasks of the order have ended when it begins
  TaskGraph::Index first;  ///< place in the order of the first task that it is for
};

/// An order of tasks with its loads, and how long that takes.
struct PacedOrder {
  std::vector<TaskGraph::Index> order;
  std::vector<PlannedLoad> loads;  ///< one after the other
  double makespan_s = 0;           ///< of the rehearsal
};

/// The same tasks with the same loads, in an order in which loads and tasks overlap best.
///
/// An order under MIN is a sequence of stays: a data item is loaded, serves some tasks, leaves.
/// Which stay serves which task is kept, so the bytes are; when tasks and loads happen is rehearsed
/// anew, with one load and one task at a time, each begun as early as can be:
/// - Of the next 64 loads the one is begun that frees most tasks a byte, the earliest of equal
///   ones, if there is room for it: that is, if with it in memory the tasks that are left could
///   still run in the order given, within M and what is spare. So the rehearsal never runs into a
///   dead end, and memory that the order given leaves unused is what loads run ahead in.
/// - Of the tasks whose inputs are there the one runs whose first input to leave does so earliest
///   in the order given, the earliest of equal ones: that makes room soonest.
///
/// Of a snake over panels of a 2D product this makes a first block that grows as a square, and
/// turns in which the last rows of a panel are done column by column, each finished column making
/// room for one of the next panel.
///
/// Time O((uses + 64 loads) log tasks).
///
/// @param order         tasks of the graph, each once at most
/// @param memory_bytes  M [B]
/// @return              the tasks of `order`; under MIN they load no more than `order` does,
///                      where all data have one size
/// @throws InvalidInput as loaded_under_min()
/// Source: ours; docs/explanation/panel_streaming.md. The test for room is Dijkstra's banker's.
[[nodiscard]] PacedOrder paced(const TaskGraph& graph, std::span<const TaskGraph::Index> order,
                               std::uint64_t memory_bytes, const Pace& pace);

/// As paced(), an order for each processor, all on one bus: what flows shares it max-min fair, each
/// up to its link. A load waits its latency first, then flows.
///
/// Time as paced(), and O(processors) for each begin and end.
///
/// @param orders           one a processor, any of them empty
/// @param paces            one a processor
/// @param bus_bytes_per_s  > 0, may be infinite
[[nodiscard]] std::vector<PacedOrder> paced_together(
    const TaskGraph& graph, const std::vector<std::vector<TaskGraph::Index>>& orders,
    std::uint64_t memory_bytes, std::span<const Pace> paces, double bus_bytes_per_s);

}  // namespace damocles
