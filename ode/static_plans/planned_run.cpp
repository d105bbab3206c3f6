#include "ode/static_plans/planned_run.hpp"

#include <algorithm>

#include "models/platforms/memory_limits.hpp"

namespace damocles {
namespace {

bool any_output(const TaskGraph& graph) {
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    if (graph.output_bytes(task) > 0) return true;
  }
  return false;
}

std::string why_other_graph(const TaskGraph& graph) {
  if (graph.commutes()) return "its tasks commute, so the run decides their order";
  return graph.reduces() ? "its tasks reduce into partial sums" : "";
}

/// Beside what its tasks write apart from data items.
std::string why_other_buses(const MachineModel& machine) {
  if (machine.buses() > 1) return "it has several buses";
  if (machine.has_peers()) return "its GPUs copy from each other";
  if (machine.sharing != BusSharing::fair) return "its bus serves one transfer at a time";
  if (machine.duplex) return "its bus has both directions at once";
  if (machine.copy_streams != 2) return "its GPUs copy in one direction at a time";
  if (machine.noise || machine.interference > 0) return "the times of its tasks vary";
  if (machine.loads_ahead > 0) return "its GPUs request loads ahead";
  return machine.decision_s > 0 || !machine.synchronous.empty() ? "it delays tasks or transfers"
                                                                : "";
}

}  // namespace

std::size_t PlannedRun::own_memories() const {
  return static_cast<std::size_t>(
      std::count_if(processors.begin(), processors.end(),
                    [](const Processor& one) { return !one.in_host_memory; }));
}

std::string why_no_planned_run(const Workload& workload, const Platform& platform) {
  const MachineModel& machine = *platform.machine;
  std::string why = why_other_graph(workload.graph());
  if (why.empty()) why = why_other_buses(machine);
  if (!why.empty()) return why;
  const bool outputs = machine.write_back || machine.output_places > 0;
  return outputs && any_output(workload.graph()) ? "outputs travel back" : "";
}

PlannedRun planned_run(const Workload& workload, const Platform& platform, Schedule schedule,
                       std::size_t depth) {
  const MachineModel& machine = *platform.machine;
  const auto memory = memory_bytes(machine, workload);
  refuse_unfit(workload, machine, memory, false);
  PlannedRun run{.graph = &workload.graph(), .durations = Durations(workload, platform)};
  run.plan = static_plan(workload, platform, schedule);
  const std::size_t buffer = machine.depth > 0 ? machine.depth
                             : depth > 0       ? depth
                                               : prefetch_depth(machine, workload);
  for (std::size_t k = 0; k < machine.processors.size(); ++k) {
    const bool in_host_memory = machine.processors[k].in_host_memory;
    run.processors.push_back({.memory_bytes = memory[k],
                              .in_host_memory = in_host_memory,
                              .link_bytes_per_s = in_host_memory ? 0 : machine.home_rate(k),
                              .depth = in_host_memory ? 1 : buffer});
  }
  run.bus_bytes_per_s = machine.bus_rate(0);
  run.latency_s = machine.latency_s;
  run.request_s = machine.request_s;
  run.jitter = machine.jitter_of();
  run.returns_all = machine.write_back && workload.writes();
  run.ends_with_returns = run.returns_all && machine.outputs_take_memory;
  return run;
}

}  // namespace damocles
