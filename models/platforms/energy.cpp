#include "models/platforms/energy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/error.hpp"
#include "models/platforms/kernel_kinds.hpp"

namespace damocles {

namespace {

std::string power_to_give(const ProcessorModel& processor) {
  return processor.in_host_memory ? "cpu_power=10W" : "power=300W";
}

}  // namespace

void check_powers(const MachineModel& machine, const std::string& where) {
  const auto known = [](const ProcessorModel& gpu) { return gpu.power.computing_w > 0; };
  for (const ProcessorModel& gpu : machine.processors) {
    if (known(gpu)) continue;
    if (gpu.power.idle_w > 0 || !gpu.power.of_kinds.empty()) {
      throw InvalidInput(
          fmt::format("{}: idle and powers need the power of a processor that computes; give {}",
                      where, power_to_give(gpu)));
    }
  }
  const auto& all = machine.processors;
  const auto with = std::find_if(all.begin(), all.end(), known);
  const auto without = std::find_if_not(all.begin(), all.end(), known);
  if (with == all.end() || without == all.end()) return;
  const auto name = [&](auto at) {
    return processor_name(machine, static_cast<std::size_t>(at - all.begin()));
  };
  throw InvalidInput(
      fmt::format("{}: {} has a power of {:g} W, but {} has none; give it one, as {}", where,
                  name(with), with->power.computing_w, name(without), power_to_give(*without)));
}

Powers::Powers(const Workload& workload, const Platform& platform) : workload_(workload) {
  if (!platform.machine || !platform.machine->has_powers()) return;
  const auto& processors = platform.machine->processors;
  kinds_ = std::max<std::size_t>(1, workload.graph().parts().kind_names.size());
  for (const ProcessorModel& gpu : processors) {
    const std::size_t first = kernel_w_.size();
    kernel_w_.resize(first + kinds_, gpu.power.computing_w);
    for (const KernelPower& one : gpu.power.of_kinds) {
      kernel_w_[first + kernel_kind(workload, one.kind, "a power")] = one.watts;
    }
  }
}

double Powers::w(std::size_t processor, TaskGraph::Index task) const {
  const auto& kinds = workload_.graph().parts().task_kinds;
  return kernel_w_[processor * kinds_ + (kinds.empty() ? 0 : kinds[task])];
}

double energy_j(const MachineModel& machine, const Trace& trace) {
  double sum = 0;
  for (std::size_t p = 0; p < machine.processors.size(); ++p) {
    const double idle_s = std::max(0.0, trace.makespan_s - trace.busy_s[p]);
    sum += trace.compute_j[p] + idle_s * machine.processors[p].power.idle_w;
  }
  return sum;
}

}  // namespace damocles
