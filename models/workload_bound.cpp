#include "models/workload_bound.hpp"

#include <algorithm>
#include <unordered_set>

#include "models/bounds.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Index = Bipartite::Index;

/// Above so many pairs they are not listed: the compulsory loads are the bound then.
constexpr std::uint64_t most_pairs = 50'000'000;

std::uint64_t size_of(const Spec& spec, const char* key) {
  return spec.integer(key, 1, max_extent).value_or(*spec.integer("n", 1, max_extent));
}

/// Whether every task reads two data and no data is both the first input of one and the second of
/// another.
bool is_two_sided(const Bipartite& graph) {
  std::vector<std::uint8_t> sides(graph.data(), 0);
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto inputs = graph.inputs(static_cast<Index>(t));
    if (inputs.size() > 2) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      sides[inputs[i]] |= static_cast<std::uint8_t>(i + 1);
    }
  }
  return std::none_of(sides.begin(), sides.end(), [](std::uint8_t side) { return side == 3; });
}

/// The pairs of data that some task reads both of.
PairCounts count_pairs(const Bipartite& graph) {
  PairCounts counts;
  counts.two_sided = is_two_sided(graph);
  std::unordered_set<std::uint64_t> pairs;
  std::vector<std::uint64_t> degree(graph.data(), 0);
  for (std::size_t d = 0; d < graph.data(); ++d) {
    counts.data += graph.users(static_cast<Index>(d)).empty() ? 0 : 1;
  }
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto inputs = graph.inputs(static_cast<Index>(t));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::uint64_t a = std::min(inputs[i], inputs[j]);
        const std::uint64_t b = std::max(inputs[i], inputs[j]);
        if (!pairs.insert(a << 32U | b).second) continue;
        counts.degree = std::max({counts.degree, ++degree[a], ++degree[b]});
      }
    }
  }
  counts.pairs = pairs.size();
  return counts;
}

LoadBound compulsory(const Workload& workload) {
  return {static_cast<std::uint64_t>(compulsory_loads(workload)), "compulsory"};
}

LoadBound graph_bound(const Workload& workload, std::uint64_t memory) {
  const Bipartite& graph = workload.graph();
  if (graph.widest() < 2 || graph.edges() * graph.widest() > most_pairs) {
    return compulsory(workload);
  }
  return pair_load_bound(count_pairs(graph), memory);
}

LoadBound bound(const Workload& workload, std::uint64_t memory) {
  const Spec spec = Spec::parse(workload.text(), "workload");
  if (spec.name() == "gemm2d" || spec.name() == "outer") {
    return grid_load_bound(size_of(spec, "m"), size_of(spec, "n"), memory);
  }
  const bool with_c = spec.name() == "matrix" || spec.word("c").value_or("no") == "yes";
  if (spec.name() == "matrix" ||
      (spec.name() == "gemm3d" && spec.word("c").value_or("no") != "later")) {
    return matrix_load_bound(size_of(spec, "m"), size_of(spec, "n"), size_of(spec, "k"), memory,
                             with_c);
  }
  if (spec.name() == "cholesky") return cholesky_load_bound(size_of(spec, "n"), memory);
  return graph_bound(workload, memory);
}

}  // namespace

std::uint64_t largest_memory_data(const Workload& workload, const Limits& limits) {
  std::uint64_t most = 0;
  for (const GpuModel& gpu : limits.gpus) {
    most =
        std::max(most, gpu.memory_data > 0 ? gpu.memory_data
                                           : gpu.memory_bytes / *workload.graph().uniform_bytes());
  }
  return most;
}

LoadBound workload_load_bound(const Workload& workload, const Limits& limits) {
  const LoadBound least = compulsory(workload);
  if (!workload.graph().uniform_bytes()) return least;
  const std::uint64_t memory = largest_memory_data(workload, limits);
  if (memory < workload.graph().widest()) return least;  // refused by the simulator
  const LoadBound found = bound(workload, memory);
  return found.loads > least.loads ? found : least;
}

}  // namespace damocles
