#include "models/levels.hpp"

#include <algorithm>

namespace damocles {

std::uint64_t passed_bytes(const TaskGraph& graph, TaskGraph::Index before,
                           TaskGraph::Index after) {
  std::uint64_t bytes = 0;
  const auto wanted = graph.inputs(after);
  graph.for_each_access(before, [&](TaskGraph::Index data, Access access) {
    if (writes(access) && std::find(wanted.begin(), wanted.end(), data) != wanted.end()) {
      bytes += graph.bytes(data);
    }
  });
  return bytes;
}

std::vector<double> bottom_levels(const TaskGraph& graph, std::span<const double> weights,
                                  double cost_a_byte) {
  std::vector<double> levels(weights.begin(), weights.end());
  const auto order = graph.dependencies().order(graph.tasks());
  for (std::size_t at = order.size(); at-- > 0;) {
    const auto task = order[at];
    double longest = 0;
    for (const TaskGraph::Index later : graph.dependencies().after(task)) {
      const double cost =
          cost_a_byte > 0 ? cost_a_byte * static_cast<double>(passed_bytes(graph, task, later)) : 0;
      longest = std::max(longest, cost + levels[later]);
    }
    levels[task] += longest;
  }
  return levels;
}

double critical_path(const TaskGraph& graph, std::span<const double> weights) {
  const auto levels = bottom_levels(graph, weights);
  return *std::max_element(levels.begin(), levels.end());
}

}  // namespace damocles
