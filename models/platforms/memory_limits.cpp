#include "models/platforms/memory_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {

std::vector<std::uint64_t> memory_bytes(const MachineModel& machine, const Workload& workload) {
  std::vector<std::uint64_t> result;
  for (const ProcessorModel& gpu : machine.processors) {
    if (gpu.in_host_memory) {
      result.push_back(home_bytes);
      continue;
    }
    const auto size = workload.graph().uniform_bytes();
    if (gpu.memory_data > 0 && !size) {
      throw Infeasible(
          fmt::format("memory={}data on '{}', {}; give a size in bytes, as memory=500MB",
                      gpu.memory_data, workload.text(),
                      workload.data() == 0 ? "which has no data items"
                                           : "whose data items have several sizes"));
    }
    if (gpu.memory_data == 0) {
      result.push_back(gpu.memory_bytes);
      continue;
    }
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    result.push_back(gpu.memory_data > most / *size ? most : gpu.memory_data * *size);
  }
  return result;
}

std::uint64_t prefetch_depth(const MachineModel& machine, const Workload& workload) {
  constexpr double least = 2;
  constexpr double most = 16;
  const TaskGraph& graph = workload.graph();
  if (!(graph.total_flops() > 0) || graph.data() == 0) return static_cast<std::uint64_t>(least);
  std::vector<double> rates(machine.buses(), 0);
  for (const ProcessorModel& gpu : machine.processors)
    rates[gpu.bus] += gpu.in_host_memory ? 0 : gpu.flops_per_s;
  double most_ahead = 0;
  for (std::size_t bus = 0; bus < rates.size(); ++bus) {
    if (rates[bus] == 0) continue;
    const double transfer_s = machine.latency_s + graph.mean_bytes() / machine.bus_rate(bus);
    // All processors of a bus together compute a task in this time, on average.
    const double task_s = graph.total_flops() / static_cast<double>(graph.tasks()) / rates[bus];
    most_ahead = std::max(most_ahead, transfer_s / task_s);
  }
  return static_cast<std::uint64_t>(std::clamp(std::ceil(most_ahead) + least, least, most));
}

void refuse_unlimited(const Workload& workload) {
  if (!workload.has_sizes()) {
    throw Infeasible(fmt::format(
        "workload '{}' has no bytes and flops, which a platform of limited memory needs; use gemm2d or gemm3d:c=yes for the same tasks with sizes",
        workload.text()));
  }
}

std::string memory_to_give(const TaskGraph& graph, std::uint64_t bytes) {
  const auto size = graph.uniform_bytes();
  return size ? fmt::format("memory={}data", (bytes + *size - 1) / *size)
              : fmt::format("memory={}B", bytes);
}

void refuse_unfit(const Workload& workload, const MachineModel& machine,
                  const std::vector<std::uint64_t>& memory, bool write_back) {
  const TaskGraph& graph = workload.graph();
  const auto least = std::min_element(memory.begin(), memory.end());
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<TaskGraph::Index>(t);
    const std::uint64_t output = write_back ? graph.output_bytes(task) : 0;
    const std::uint64_t need = graph.footprint(task) + output;
    if (need <= *least) continue;
    throw Infeasible(fmt::format(
        "task {} of '{}' reads {}{}, but {} has {} of memory; "
        "give {} or more",
        graph.task_name(task), workload.text(), output > 0 ? "and writes " : "", size_text(need),
        processor_name(machine, static_cast<std::size_t>(least - memory.begin())),
        size_text(*least), memory_to_give(graph, need)));
  }
}

}  // namespace damocles
