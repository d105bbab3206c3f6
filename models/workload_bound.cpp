#include "models/workload_bound.hpp"

#include <algorithm>

#include "models/bounds.hpp"
#include "models/graph_bound.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

std::uint64_t size_of(const Spec& spec, const char* key) {
  return spec.integer(key, 1, max_extent).value_or(*spec.integer("n", 1, max_extent));
}

LoadBound compulsory(const Workload& workload) {
  return {static_cast<std::uint64_t>(compulsory_loads(workload)), "compulsory"};
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
  return graph_load_bound(workload.graph(), memory * *workload.graph().uniform_bytes());
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
