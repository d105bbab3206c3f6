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

std::vector<std::uint32_t> depths(const TaskGraph& graph) {
  std::vector<std::uint32_t> result(graph.tasks(), 0);
  if (graph.dependencies().empty()) return result;
  for (const auto task : graph.dependencies().order(graph.tasks())) {
    for (const TaskGraph::Index later : graph.dependencies().after(task)) {
      result[later] = std::max(result[later], result[task] + 1);
    }
  }
  return result;
}

double critical_path(const TaskGraph& graph, std::span<const double> weights) {
  const auto levels = bottom_levels(graph, weights);
  const double path = *std::max_element(levels.begin(), levels.end());
  if (!graph.commutes()) return path;
  std::vector<double> turns(graph.data(), 0);
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<TaskGraph::Index>(t);
    graph.for_each_access(task, [&](TaskGraph::Index data, Access access) {
      if (commutes(access)) turns[data] += weights[t];
    });
  }
  return std::max(path, *std::max_element(turns.begin(), turns.end()));
}

}  // namespace damocles
