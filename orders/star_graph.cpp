#include "orders/star_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "models/error.hpp"
#include "orders/clean_split.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

constexpr std::size_t most = std::size_t{1} << 29;

/// So many steps from nothing to the mean, unless all together would be too many.
constexpr double steps = 1000;

/// Whole numbers in proportion to `sizes`, at least 1. @pre some size is above 0
std::vector<std::int32_t> in_steps(std::span<const double> sizes) {
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  const auto count = static_cast<double>(sizes.size());
  const double unit = std::min(steps * count, static_cast<double>(most) - count) / total;
  std::vector<std::int32_t> result;
  result.reserve(sizes.size());
  for (const double size : sizes) {
    result.push_back(std::max(1, static_cast<std::int32_t>(std::lround(size * unit))));
  }
  return result;
}

}  // namespace

StarGraph star_graph(const TaskGraph& graph) {
  if (std::max({graph.tasks(), graph.data(), graph.edges()}) > most) {
    throw InvalidInput("more than 2^29 tasks, data or reads are too many for this partitioner");
  }
  StarGraph star;
  star.vertex_weights = in_steps(task_weights(graph));
  star.vertex_weights.resize(graph.tasks() + graph.data(), 0);
  std::vector<double> shares;  // of each edge, by data
  for (Index data = 0; data < graph.data(); ++data) {
    const std::size_t readers = graph.users(data).size();
    if (readers > 1) {
      shares.insert(shares.end(), readers,
                    static_cast<double>(graph.bytes(data)) / static_cast<double>(readers));
    }
  }
  const std::vector<std::int32_t> weights =
      shares.empty() ? std::vector<std::int32_t>() : in_steps(shares);
  std::vector<std::size_t> first(graph.data(), 0);  // of a data item's edges
  for (Index data = 1; data < graph.data(); ++data) {
    const std::size_t before = graph.users(data - 1).size();
    first[data] = first[data - 1] + (before > 1 ? before : 0);
  }
  star.begin.push_back(0);
  const auto end_vertex = [&] {
    star.begin.push_back(static_cast<std::int32_t>(star.neighbours.size()));
  };
  for (Index task = 0; task < graph.tasks(); ++task) {
    for (const Index data : graph.inputs(task)) {
      if (graph.users(data).size() < 2) continue;
      star.neighbours.push_back(static_cast<std::int32_t>(graph.tasks() + data));
      star.edge_weights.push_back(weights[first[data]]);
    }
    end_vertex();
  }
  for (Index data = 0; data < graph.data(); ++data) {
    if (graph.users(data).size() > 1) {
      for (const Index task : graph.users(data)) {
        star.neighbours.push_back(static_cast<std::int32_t>(task));
        star.edge_weights.push_back(weights[first[data]]);
      }
    }
    end_vertex();
  }
  return star;
}

}  // namespace damocles
