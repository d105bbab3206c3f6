#include "models/bounds/graph_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "models/error.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
constexpr Index none = std::numeric_limits<Index>::max();

/// Walks the components of a graph, each data item once, and counts their pairs.
class Components {
 public:
  explicit Components(const TaskGraph& graph)
      : graph_(graph), met_by_(graph.data(), none), side_(graph.data(), 0) {}

  [[nodiscard]] bool seen(Index data) const { return side_[data] != 0; }

  /// Counts the component of a data item that was not seen yet.
  PairCounts count_from(Index first) {
    PairCounts counts{.two_sided = true};
    side_[first] = 1;
    queue_.assign(1, first);
    std::uint64_t ends = 0;
    // NOLINTNEXTLINE(modernize-loop-convert): the queue grows meanwhile
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      const std::uint64_t partners = meet(queue_[at], counts.two_sided);
      ends += partners;
      counts.degree = std::max(counts.degree, partners);
    }
    counts.data = queue_.size();
    counts.pairs = ends / 2;
    return counts;
  }

 private:
  /// Number of data that some task reads together with this one; queues those not seen yet.
  std::uint64_t meet(Index data, bool& two_sided) {
    std::uint64_t partners = 0;
    met_by_[data] = data;
    for (const Index task : graph_.users(data)) {
      for (const Index other : graph_.inputs(task)) {
        if (met_by_[other] == data) continue;
        met_by_[other] = data;
        ++partners;
        if (side_[other] == 0) {
          side_[other] = static_cast<signed char>(-side_[data]);
          queue_.push_back(other);
        }
        two_sided = two_sided && side_[other] != side_[data];
      }
    }
    return partners;
  }

  const TaskGraph& graph_;
  std::vector<Index> met_by_;
  std::vector<signed char> side_;  // 1 or -1, 0 before it is seen
  std::vector<Index> queue_;
};

/// M in data: how many of the smallest fit.
std::uint64_t capacity(const TaskGraph& graph, std::uint64_t memory_bytes) {
  const auto& bytes = graph.parts().bytes;
  return bytes.empty() ? 0 : memory_bytes / *std::min_element(bytes.begin(), bytes.end());
}

}  // namespace

LoadBound graph_load_bound(const TaskGraph& graph, std::uint64_t memory_bytes) {
  std::uint64_t steps = 0;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<Index>(t);
    const std::uint64_t footprint = graph.footprint(task);
    if (footprint > memory_bytes) {
      throw InvalidInput(fmt::format("task {} reads {} bytes, the memory has {}; give at least {}",
                                     graph.task_name(task), footprint, memory_bytes, footprint));
    }
    steps += graph.inputs(task).size() * graph.inputs(task).size();
  }
  const std::uint64_t memory = capacity(graph, memory_bytes);
  LoadBound bound;
  Components components(graph);
  std::uint64_t largest = 0;
  for (std::size_t d = 0; d < graph.data(); ++d) {
    const auto data = static_cast<Index>(d);
    if (graph.users(data).empty() || components.seen(data)) continue;
    if (steps > std::uint64_t{1} << 30U) {
      ++bound.loads;
      continue;
    }
    const LoadBound part = pair_load_bound(components.count_from(data), memory);
    bound.loads += part.loads;
    if (part.loads > largest) {  // the name of the argument that gives most
      largest = part.loads;
      bound.argument = part.argument;
    }
  }
  return bound;
}

std::uint64_t compulsory_bytes(const TaskGraph& graph) {
  std::uint64_t bytes = 0;
  for (std::size_t d = 0; d < graph.data(); ++d) {
    const auto data = static_cast<Index>(d);
    if (graph.read_from_home(data)) bytes += graph.bytes(data);
  }
  return bytes;
}

}  // namespace damocles
