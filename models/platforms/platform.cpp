#include "models/platforms/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/platforms/routing_table.hpp"

namespace damocles {

double MachineModel::jitter_of() const {
  if (jitter) return *jitter;
  if (noise) return 0;
  for (std::size_t k = 1; k < processors.size(); ++k) {
    for (std::size_t other = 0; other < k; ++other) {
      if (processors[k].flops_per_s == processors[other].flops_per_s) return 0.007;
    }
  }
  return 0;
}

bool MachineModel::any_in_host_memory() const {
  return std::any_of(processors.begin(), processors.end(),
                     [](const ProcessorModel& one) { return one.in_host_memory; });
}

std::size_t MachineModel::on_bus(std::size_t bus) const {
  return static_cast<std::size_t>(std::count_if(
      processors.begin(), processors.end(),
      [&](const ProcessorModel& one) { return !one.in_host_memory && one.bus == bus; }));
}

std::size_t MachineModel::buses() const {
  std::size_t last = 0;
  for (const ProcessorModel& gpu : processors) last = std::max(last, gpu.bus);
  return last + 1;
}

double MachineModel::all_buses_bytes_per_s() const {
  if (bus_rates.empty()) return bus_bytes_per_s * static_cast<double>(buses());
  return std::accumulate(bus_rates.begin(), bus_rates.end(), 0.0);
}

double MachineModel::home_rate(std::size_t processor) const {
  return std::min(processors[processor].link_bytes_per_s, bus_rate(processors[processor].bus));
}

MachineModel MachineModel::with_rates_times(double factor) const {
  MachineModel result = *this;
  result.bus_bytes_per_s *= factor;
  for (double& rate : result.bus_rates) rate *= factor;
  for (ProcessorModel& gpu : result.processors) gpu.link_bytes_per_s *= factor;
  result.peer_bytes_per_s *= factor;
  for (PeerLink& link : result.peer_links) link.bytes_per_s *= factor;
  return result;
}

std::string processor_name(const MachineModel& machine, std::size_t processor) {
  const auto& all = machine.processors;
  const bool is_core = all[processor].in_host_memory;
  const auto before =
      std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(processor),
                    [&](const ProcessorModel& one) { return one.in_host_memory == is_core; });
  return fmt::format("{}{}", is_core ? "CPU" : "GPU", before);
}

std::size_t MachineModel::on_buses() const {
  return static_cast<std::size_t>(
      std::count_if(processors.begin(), processors.end(),
                    [](const ProcessorModel& one) { return !one.in_host_memory; }));
}

double MachineModel::peer_rate(std::size_t from, std::size_t to) const {
  return RoutingTable(*this).between(from, to).bytes_per_s;
}

bool MachineModel::uses_recorded_times() const {
  return std::any_of(processors.begin(), processors.end(), [](const ProcessorModel& gpu) {
    return std::any_of(gpu.kernel_times.begin(), gpu.kernel_times.end(),
                       [](const KernelTime& time) { return time.recorded; });
  });
}

std::vector<SourceFile> MachineModel::times_files() const {
  std::vector<SourceFile> result;
  for (const ProcessorModel& gpu : processors) {
    for (const KernelTime& time : gpu.kernel_times) {
      if (!time.measured) continue;
      const SourceFile& file = time.measured->file();
      const bool known = std::any_of(result.begin(), result.end(), [&](const SourceFile& other) {
        return other.path == file.path && other.digest == file.digest;
      });
      if (!known) result.push_back(file);
    }
  }
  return result;
}

double MachineModel::copy_s(std::size_t processor, double bytes) const {
  if (processors[processor].in_host_memory) return 0;
  return latency_s + bytes / home_rate(processor);
}

std::string Platform::name(std::size_t processor) const {
  return machine ? processor_name(*machine, processor) : fmt::format("P{}", processor);
}

double Platform::mean_speed() const {
  return std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
}

std::vector<double> Platform::relative_speeds() const {
  const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<double> relative = speeds;
  for (double& speed : relative) speed /= total;
  return relative;
}

}  // namespace damocles
