#include "models/bounds/workload_bound.hpp"

#include <algorithm>

#include "models/bounds/graph_bound.hpp"
#include "models/bounds/grid_bound.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

std::uint64_t size_of(const Spec& spec, const char* key) {
  return spec.integer(key, 1, max_extent).value_or(*spec.integer("n", 1, max_extent));
}

LoadBound compulsory(const Workload& workload) {
  return {static_cast<std::uint64_t>(compulsory_loads(workload)), "compulsory"};
}

/// What a workload is, as far as bounds of their own are known.
enum class Family { product_2d, layers, product_3d, cholesky, other };

Family family(const Spec& spec) {
  const std::string& name = spec.name();
  if (name == "gemm2d" || name == "outer") return Family::product_2d;
  if (name == "matrix") return Family::product_3d;
  if (name == "cholesky") return Family::cholesky;
  if (name != "gemm3d") return Family::other;
  const std::string c = spec.word("c").value_or("no");
  return c == "no" ? Family::layers : c == "yes" ? Family::product_3d : Family::other;
}

LoadBound bound(const Workload& workload, std::uint64_t memory) {
  const Spec spec = Spec::parse(workload.text(), "workload");
  switch (family(spec)) {
    case Family::product_2d:
      return grid_load_bound(size_of(spec, "m"), size_of(spec, "n"), memory);
    case Family::layers:
    case Family::product_3d:
      return matrix_load_bound(size_of(spec, "m"), size_of(spec, "n"), size_of(spec, "k"), memory,
                               family(spec) == Family::product_3d);
    case Family::cholesky:
      return cholesky_load_bound(size_of(spec, "n"), memory);
    case Family::other:
      break;
  }
  return graph_load_bound(workload.graph(), memory * *workload.graph().uniform_bytes());
}

/// Data that the largest memory holds at most, >= 1.
std::uint64_t most_resident(const Bipartite& graph, const Limits& limits) {
  const auto& bytes = graph.parts().bytes;
  if (bytes.empty()) return 1;
  const std::uint64_t smallest = *std::min_element(bytes.begin(), bytes.end());
  std::uint64_t most = 1;
  for (const GpuModel& gpu : limits.gpus) {
    most = std::max(most, gpu.memory_data > 0 ? gpu.memory_data : gpu.memory_bytes / smallest);
  }
  return std::min<std::uint64_t>(most, bytes.size());
}

LoadedWork loaded_work(const Workload& workload, std::uint64_t memory) {
  const Spec spec = Spec::parse(workload.text(), "workload");
  const Bipartite& graph = workload.graph();
  const double largest_flops =
      *std::max_element(graph.parts().flops.begin(), graph.parts().flops.end());
  switch (family(spec)) {
    case Family::product_2d:
    case Family::layers:
      return pair_loaded_work({.most_partners = std::min(size_of(spec, "m"), size_of(spec, "n")),
                               .two_sided = true,
                               .of_pair = largest_flops},
                              memory);
    case Family::product_3d:
      return run_loaded_work(most_box_tasks, largest_flops, 0, memory);
    case Family::cholesky:
      if (graph.data() < 6) break;  // fewer than 3 x 3 tiles, and no GEMM
      // A GEMM, of most flops, is a triangle of tiles; each tile off the diagonal has a TRSM and a
      // SYRK of half as many, each on it a POTRF of less.
      return run_loaded_work(most_triangles, largest_flops, largest_flops, memory);
    case Family::other:
      break;
  }
  return pair_loaded_work(pair_work(graph), memory);
}

}  // namespace

MakespanBound workload_makespan_bound(const Workload& workload, const Limits& limits,
                                      const LoadBound& loads) {
  const Bipartite& graph = workload.graph();
  return makespan_bound(graph, limits, loaded_work(workload, most_resident(graph, limits)), loads);
}

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
