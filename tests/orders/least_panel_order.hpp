#pragma once

#include <utility>
#include <vector>

#include "orders/panel_order.hpp"

namespace damocles {

/// Of all panel orders the one that loads the fewest bytes.
[[nodiscard]] inline std::vector<std::vector<TaskGraph::Index>> panel_order(
    const TaskGraph& graph, std::uint64_t memory_bytes, std::size_t processors = 1) {
  const auto sequences = panel_sequences(graph, memory_bytes, processors);
  return std::move(split_orders(graph, sequences, memory_bytes, std::vector<double>(processors, 1))
                       .front()
                       .parts);
}

}  // namespace damocles
