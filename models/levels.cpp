#include "models/levels.hpp"

#include <algorithm>

namespace damocles {

std::vector<double> bottom_levels(const TaskGraph& graph, std::span<const double> weights) {
  const Dependencies& dependencies = graph.dependencies();
  std::vector<double> levels(weights.begin(), weights.end());
  levels.resize(graph.tasks() + dependencies.joints(), 0);
  const auto order = dependencies.order_of_nodes(graph.tasks());
  for (std::size_t at = order.size(); at-- > 0;) {
    const auto node = order[at];
    double longest = 0;
    for (const TaskGraph::Index later : dependencies.nodes_after(node)) {
      longest = std::max(longest, levels[later]);
    }
    levels[node] += longest;
  }
  levels.resize(graph.tasks());
  return levels;
}

std::vector<std::uint32_t> depths(const TaskGraph& graph) {
  const Dependencies& dependencies = graph.dependencies();
  std::vector<std::uint32_t> result(graph.tasks() + dependencies.joints(), 0);
  if (dependencies.empty()) return result;
  for (const auto node : dependencies.order_of_nodes(graph.tasks())) {
    const std::uint32_t step = dependencies.is_joint(node) ? 0 : 1;
    for (const TaskGraph::Index later : dependencies.nodes_after(node)) {
      result[later] = std::max(result[later], result[node] + step);
    }
  }
  result.resize(graph.tasks());
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
