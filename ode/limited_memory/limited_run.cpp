#include "ode/limited_memory/limited_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/platforms/durations.hpp"
#include "models/platforms/memory_limits.hpp"

namespace damocles {
namespace {

std::string why_other_tasks(const Workload& workload) {
  if (workload.has_dependencies()) return "its tasks wait for others";
  if (!workload.has_sizes()) return "its data have no sizes; give gemm2d instead of outer";
  if (workload.writes()) return "its tasks write";
  return workload.graph().uniform_bytes() ? "" : "its data items differ in size";
}

/// Whether processors differ in more than their speed.
bool unequal(const MachineModel& machine) {
  const ProcessorModel& first = machine.processors.front();
  return std::any_of(
      machine.processors.begin(), machine.processors.end(), [&](const ProcessorModel& one) {
        return one.memory_bytes != first.memory_bytes || one.memory_data != first.memory_data ||
               one.link_bytes_per_s != first.link_bytes_per_s ||
               one.kernel_times.size() != first.kernel_times.size();
      });
}

std::string why_other_machine(const MachineModel& machine) {
  if (machine.any_in_host_memory()) return "it has CPU cores";
  if (machine.buses() != 1) return "it has several buses";
  if (unequal(machine)) return "its GPUs differ in memory or links";
  if (!machine.processors.front().kernel_times.empty())
    return "its tasks have times of their own (times=flops takes none)";
  if (machine.has_peers()) return "its GPUs copy from each other";
  if (machine.write_back || machine.output_places > 0) return "outputs travel back";
  if (machine.sharing != BusSharing::fair) return "its bus serves one transfer at a time";
  if (machine.noise || machine.interference > 0) return "the times of its tasks vary";
  if (machine.loads_ahead > 0) return "its GPUs request loads ahead";
  const bool delays = machine.decision_s > 0 || machine.overhead_s > 0;
  return delays || !machine.synchronous.empty() ? "it delays tasks or transfers" : "";
}

void set_slowness(LimitedRun& run, const MachineModel& machine) {
  const double first = machine.processors.front().flops_per_s;
  for (const ProcessorModel& one : machine.processors) {
    run.slowness.push_back(first / one.flops_per_s);
  }
  const bool equal = std::all_of(run.slowness.begin(), run.slowness.end(),
                                 [](double slowness) { return slowness == 1; });
  if (equal) run.slowness.clear();
}

/// Where all tasks compute as much, and nothing else decides, what each takes [s].
std::optional<double> one_duration_s(const TaskGraph& graph, const Durations& durations) {
  if (durations.not_by_flops()) return std::nullopt;
  const auto& flops = graph.parts().flops;
  const bool equal =
      std::all_of(flops.begin(), flops.end(), [&](double one) { return one == flops.front(); });
  return equal ? std::optional(durations.s(0, 0)) : std::nullopt;
}

void set_times(LimitedRun& run, const Durations& durations) {
  if (const auto each_s = one_duration_s(*run.graph, durations)) {
    run.task_s = *each_s;
    return;
  }
  double sum_s = 0;
  bool equal = true;
  for (TaskGraph::Index task = 0; task < run.tasks(); ++task) {
    sum_s += durations.s(0, task);
    equal = equal && durations.s(0, task) == durations.s(0, 0);
  }
  run.task_s = equal ? durations.s(0, 0) : sum_s / static_cast<double>(run.tasks());
  if (equal) return;
  for (TaskGraph::Index task = 0; task < run.tasks(); ++task) {
    run.unequal_s.push_back(durations.s(0, task));
  }
}

}  // namespace

double LimitedRun::least_s(std::size_t count, double each_s) const {
  const auto tasks_here = static_cast<double>(count);
  const double spread = 10 * std::sqrt(tasks_here / 12);  // of uniform draws from [0, 1)
  return each_s * (tasks_here + jitter * std::max(0.0, tasks_here / 2 - spread));
}

double LimitedRun::least_makespan_s() const {
  const double all_s = unequal_s.empty() ? least_s(tasks(), task_s)
                                         : std::accumulate(unequal_s.begin(), unequal_s.end(), 0.0);
  if (slowness.empty()) return all_s / static_cast<double>(processors);
  double speed = 0;  // of all, in times that of the first
  for (const double one : slowness) speed += 1 / one;
  return all_s / speed;
}

std::string family_of(std::string_view workload) {
  const auto says = [&](std::string_view option) {
    return workload.find(option) != std::string_view::npos;
  };
  std::string name(workload.substr(0, workload.find(':')));
  if (name == "gemm3d" && says("c=yes")) name += ":c=yes";
  return says("order=random") ? name + " in random order" : name;
}

bool processors_differ(const MachineModel& machine) {
  const double first = machine.processors.front().flops_per_s;
  return machine.any_in_host_memory() || unequal(machine) ||
         std::any_of(machine.processors.begin(), machine.processors.end(),
                     [&](const ProcessorModel& one) { return one.flops_per_s != first; });
}

std::string why_no_limited_run(const Workload& workload, const Platform& platform) {
  const std::string tasks = why_other_tasks(workload);
  return tasks.empty() ? why_other_machine(*platform.machine) : tasks;
}

LimitedRun limited_run(const Workload& workload, const Platform& platform,
                       const std::string& eviction, std::size_t depth) {
  const MachineModel& machine = *platform.machine;
  const std::uint64_t item_bytes = workload.graph().bytes(0);
  const auto bytes = static_cast<double>(item_bytes);
  LimitedRun run;
  run.workload = &workload;
  run.graph = &workload.graph();
  run.family = family_of(workload.text());
  if (workload.dimensions() == 2) {
    run.rows = workload.extent(0);
    run.columns = workload.extent(1);
  }
  run.processors = machine.processors.size();
  run.memory =
      std::min<std::size_t>(workload.data(), memory_bytes(machine, workload).front() / item_bytes);
  run.depth = machine.depth > 0 ? machine.depth
              : depth > 0       ? depth
                                : prefetch_depth(machine, workload);
  run.eviction = eviction;
  set_times(run, Durations(workload, platform));
  set_slowness(run, machine);
  run.relative_speeds = platform.relative_speeds();
  run.jitter = machine.jitter_of();
  run.bus_s = bytes / machine.bus_rate(0);
  run.link_s = bytes / machine.home_rate(0);
  run.latency_s = machine.latency_s;
  run.request_s = machine.request_s;
  return run;
}

}  // namespace damocles
