#include "experiments/explain/names.hpp"

#include <fmt/format.h>

namespace damocles {

std::string task_name(const Workload& workload, TaskId task) {
  if (!workload.is_grid()) {
    return workload.graph().task_name(static_cast<TaskGraph::Index>(raw(task)));
  }
  const auto [i, j, l] = workload.indices(task);
  return workload.dimensions() == 2 ? fmt::format("T({},{})", i, j)
                                    : fmt::format("T({},{},{})", i, j, l);
}

std::string data_name(const Workload& workload, DataId data) {
  if (!workload.is_grid()) {
    return workload.graph().data_name(static_cast<TaskGraph::Index>(raw(data)));
  }
  const std::uint64_t m = workload.extent(0);
  const std::uint64_t n = workload.extent(1);
  const std::uint64_t k = workload.extent(2);
  std::uint64_t id = raw(data);
  if (k == 0) return id < m ? fmt::format("A({})", id) : fmt::format("B({})", id - m);
  if (id < m * k) return fmt::format("A({},{})", id / k, id % k);
  id -= m * k;
  if (id < k * n) return fmt::format("B({},{})", id / n, id % n);
  id -= k * n;
  return fmt::format("C({},{})", id / n, id % n);
}

std::string processor_name(const Platform& platform, std::size_t processor) {
  if (!platform.machine) return fmt::format("P{}", processor);
  const auto& all = platform.machine->processors;
  std::size_t before = 0;
  for (std::size_t p = 0; p < processor; ++p) {
    if (all[p].in_host_memory == all[processor].in_host_memory) ++before;
  }
  return fmt::format("{}{}", all[processor].in_host_memory ? "CPU" : "GPU", before);
}

std::string group_of(const std::string& name) {
  return name.substr(0, name.find_first_of("0123456789([ "));
}

}  // namespace damocles
