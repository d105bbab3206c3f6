#include "models/bounds/workload_bound.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "models/bounds/area_bound.hpp"
#include "models/bounds/graph_bound.hpp"
#include "models/bounds/grid_bound.hpp"
#include "models/bounds/path_bound.hpp"
#include "models/bounds/shortest_times.hpp"
#include "models/levels.hpp"

namespace damocles {
namespace {

LoadBound compulsory(const Workload& workload) {
  return {static_cast<std::uint64_t>(compulsory_loads(workload)), "compulsory"};
}

LoadBound bound(const Workload& workload, std::uint64_t memory) {
  const Structure& is = workload.structure();
  switch (is.kind) {
    case Structure::Kind::product_2d:
      return grid_load_bound(is.m, is.n, memory);
    case Structure::Kind::product_3d:
      // Partial sums are never loaded.
      return matrix_load_bound(is.m, is.n, is.k, memory,
                               workload.graph().reduces() ? ReadsC::no : is.reads_c);
    case Structure::Kind::cholesky:
      return cholesky_load_bound(is.n, memory);
    default:
      break;
  }
  return graph_load_bound(workload.graph(), memory * *workload.graph().uniform_bytes());
}

/// Data that the largest memory holds at most, >= 1.
std::uint64_t most_resident(const TaskGraph& graph, const MachineModel& machine) {
  const auto& bytes = graph.parts().bytes;
  if (bytes.empty()) return 1;
  const std::uint64_t smallest = *std::min_element(bytes.begin(), bytes.end());
  std::uint64_t most = 1;
  for (const ProcessorModel& gpu : machine.processors) {
    most = std::max(most, gpu.memory_data > 0 ? gpu.memory_data : gpu.memory_bytes / smallest);
  }
  return std::min<std::uint64_t>(most, bytes.size());
}

LoadedWork loaded_work(const Workload& workload, std::uint64_t memory) {
  const Structure& is = workload.structure();
  const TaskGraph& graph = workload.graph();
  const double largest_flops =
      *std::max_element(graph.parts().flops.begin(), graph.parts().flops.end());
  const auto of_pairs = [&] {
    return pair_loaded_work(
        {.most_partners = std::min(is.m, is.n), .two_sided = true, .of_pair = largest_flops},
        memory);
  };
  switch (is.kind) {
    case Structure::Kind::product_2d:
      return of_pairs();
    case Structure::Kind::product_3d:
      if (is.reads_c == ReadsC::later) break;
      if (is.reads_c == ReadsC::no) return of_pairs();
      return run_loaded_work(most_box_tasks, largest_flops, 0, memory);
    case Structure::Kind::cholesky:
      if (graph.data() < 6) break;  // fewer than 3 x 3 tiles, and no GEMM
      // A GEMM, of most flops, is a triangle of tiles; each tile off the diagonal has a TRSM and a
      // SYRK of half as many, each on it a POTRF of less.
      return run_loaded_work(most_triangles, largest_flops, largest_flops, memory);
    default:
      break;
  }
  return pair_loaded_work(pair_work(graph), memory);
}

/// All flops at all rates, or the area bound, and what must be loaded over the bus: what holds
/// where data may also come into memory by being written there, and, without the loads, where they
/// may be computed on in host memory.
MakespanBound resource_bound(const TaskGraph& graph, const MachineModel& machine, double area_s) {
  double rate = 0;
  for (const ProcessorModel& gpu : machine.processors) rate += gpu.flops_per_s;
  MakespanBound bound{.seconds = graph.total_flops() / rate};
  if (area_s > bound.seconds) bound = {area_s, "area"};
  if (machine.any_in_host_memory()) return bound;
  const double bus_s =
      static_cast<double>(compulsory_bytes(graph)) / machine.all_buses_bytes_per_s();
  if (bus_s > bound.seconds) bound = {bus_s, "bus"};
  return bound;
}

/// @param speedup  the most that cores gain by computing a task together
MakespanBound makespan_bound_by_flops(const Workload& workload, const MachineModel& machine,
                                      const LoadBound& loads, double area_s, double speedup) {
  const TaskGraph& graph = workload.graph();
  MakespanBound bound =
      // Those count on every load coming over the bus of its processor, from host memory or from
      // another, and nothing coming without one.
      graph.creates_data() || machine.has_links() || machine.any_in_host_memory()
          ? resource_bound(graph, machine, area_s)
          : makespan_bound(graph, machine, loaded_work(workload, most_resident(graph, machine)),
                           loads, area_s);
  if (!graph.ordered()) return bound;
  double fastest = 0;
  for (const ProcessorModel& gpu : machine.processors) {
    fastest = std::max(fastest, gpu.flops_per_s * (gpu.speedups.empty() ? 1 : speedup));
  }
  const double path_s = critical_path(graph, graph.parts().flops) / fastest;
  if (path_s > bound.seconds) bound = {path_s, "critical path"};
  return bound;
}

/// The area bound where it is more than all flops at all rates [s], else 0: in proportion to the
/// rates they are one number, but for rounding.
double area_beyond_rates_s(const Workload& workload, const Durations& durations,
                           const TaskGraph& reweighed, const MachineModel& machine) {
  double rate = 0;
  for (const ProcessorModel& gpu : machine.processors) rate += gpu.flops_per_s;
  const double area_s = area_bound_s(workload.graph(), durations);
  constexpr double rounding = 1e-12;
  return area_s > reweighed.total_flops() / rate * (1 + rounding) ? area_s : 0;
}

}  // namespace

MakespanBound workload_makespan_bound(const Workload& workload, const Platform& platform,
                                      const LoadBound& loads) {
  return workload_makespan_bound(workload, platform, Durations(workload, platform), loads);
}

namespace {

MakespanBound bound_by_totals(const Workload& workload, const Platform& platform,
                              const Durations& durations, const LoadBound& loads,
                              std::span<const double> shortest, std::span<const double> flops) {
  const MachineModel& machine = *platform.machine;
  const double speedup = durations.teams().most_speedup();
  if (shortest.empty()) return makespan_bound_by_flops(workload, machine, loads, 0, speedup);
  TaskGraph graph = workload.graph();
  graph.reweigh({flops.begin(), flops.end()});
  // Not what is known of products or of Cholesky's tasks: that counts on flops in proportion.
  const double area_s = area_beyond_rates_s(workload, durations, graph, machine);
  MakespanBound bound = makespan_bound_by_flops(
      Workload::of_graph(workload.text(), std::move(graph)), machine, loads, area_s, speedup);
  const double longest_s = *std::max_element(shortest.begin(), shortest.end());
  if (longest_s > bound.seconds) bound = {longest_s, "longest task"};
  if (!workload.graph().ordered()) return bound;
  const double path_s = critical_path(workload.graph(), shortest);
  if (path_s > bound.seconds) bound = {path_s, "critical path"};
  return bound;
}

}  // namespace

MakespanBound workload_makespan_bound(const Workload& workload, const Platform& platform,
                                      const Durations& durations, const LoadBound& loads) {
  const TaskGraph& graph = workload.graph();
  const ShortestTimes shortest(graph, durations);
  std::vector<double> least_flops;
  if (durations.not_by_flops()) least_flops = durations.least_flops();
  const std::span<const double> flops = least_flops.empty() ? graph.parts().flops : least_flops;
  const MakespanBound bound =
      bound_by_totals(workload, platform, durations, loads, shortest.listed(), flops);
  const MakespanBound path = path_bound(graph, *platform.machine, shortest, flops);
  return path.seconds > bound.seconds ? path : bound;
}

std::uint64_t largest_memory_data(const Workload& workload, const MachineModel& machine) {
  std::uint64_t most = 0;
  for (const ProcessorModel& gpu : machine.processors) {
    most =
        std::max(most, gpu.memory_data > 0 ? gpu.memory_data
                                           : gpu.memory_bytes / *workload.graph().uniform_bytes());
  }
  return most;
}

LoadBound workload_load_bound(const Workload& workload, const MachineModel& machine) {
  if (machine.any_in_host_memory()) return {0, "home"};  // cores alone may compute it all
  const LoadBound least = compulsory(workload);
  if (!workload.graph().uniform_bytes()) return least;
  const std::uint64_t memory = largest_memory_data(workload, machine);
  if (memory < workload.graph().widest()) return least;  // refused by the simulator
  // All others count on data coming into memory by loads alone.
  const bool made = workload.structure().reads_c == ReadsC::made;
  if (workload.graph().creates_data() && !made) return least;
  const LoadBound found = bound(workload, memory);
  return found.loads > least.loads ? found : least;
}

}  // namespace damocles
