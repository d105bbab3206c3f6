#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// For each task one of its inputs, the one that a panel keeps while the others stream past.
struct Pivots {
  static constexpr TaskGraph::Index none = std::numeric_limits<TaskGraph::Index>::max();

  std::vector<TaskGraph::Index> of_task;  ///< a data item, or `none` for a task without inputs
};

/// The ways to choose pivots worth trying. Where data have two sides such that each task reads at
/// most one of each (2D products, dense or sparse; 3D without C): one side, or the other. Else: the
/// first input of each task, the second, or the third, and its last where it has fewer.
[[nodiscard]] std::vector<Pivots> choices_of_pivots(const TaskGraph& graph);

/// How many panels and how wide.
struct PanelShape {
  std::size_t panels = 1;        ///< to aim at; more where pivots of differing sizes leave gaps
  std::uint64_t most_bytes = 0;  ///< that the pivots of a panel may have, at least one pivot's
};

/// Groups pivots into panels of about equal size, so that the data streaming past a panel are few.
///
/// A panel begins with the pivot that the data streamed for the panel before serve best, and
/// grows by the bundle of pivots that lack the same streamed data, most pivots per byte they lack
/// first. A 3D product's C tiles so gather in near-square blocks, which is what sqrt(M) in its
/// lower bound comes from; ties go to the lowest data, so the order of tasks plays no part.
///
/// Time O(panels x edges + pivots^2 log) at worst.
[[nodiscard]] std::vector<std::vector<TaskGraph::Index>> group_in_panels(const TaskGraph& graph,
                                                                         const Pivots& pivots,
                                                                         const PanelShape& shape);

}  // namespace damocles
