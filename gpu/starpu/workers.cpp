#include "gpu/starpu/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "gpu/device.hpp"
#include "models/error.hpp"
#include "models/platforms/memory_limits.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
/// Processing units of each NUMA node that hwloc is told of: as many as StarPU can have workers.
constexpr unsigned units = STARPU_MAXCPUS;

void set(const std::string& name, const std::string& value) {
  setenv(name.c_str(), value.c_str(), 1);
}

std::uint64_t in_mebibytes(std::uint64_t bytes) { return (bytes + mebibyte - 1) / mebibyte; }

}  // namespace

void refuse_for_starpu(const Platform& platform, bool shared) {
  if (!platform.machine) {
    throw InvalidInput(
        "StarPU's memory nodes are those of a platform with limited memory; give gpus:k=1,memory=");
  }
  const MachineModel& machine = *platform.machine;
  if (machine.write_back) {
    throw InvalidInput(
        "StarPU sends home what tasks write when it has to; leave writeback out, or use --backend host");
  }
  const std::size_t own = shared ? 0 : machine.on_buses();
  if (own + 1 > STARPU_MAXNUMANODES) {
    throw Infeasible(fmt::format(
        "this StarPU has at most {} processor(s) with a memory of their own besides host memory, not {}; give gpus:k={}",
        STARPU_MAXNUMANODES - 1, own, STARPU_MAXNUMANODES - 1));
  }
  const std::size_t in_host_memory = platform.processors() - own;
  const std::size_t workers = own + std::max<std::size_t>(in_host_memory, 1);
  if (workers > STARPU_MAXCPUS) {
    throw Infeasible(fmt::format(
        "this StarPU has at most {} CPU workers, and {} are wanted (one at home where no processor is)",
        STARPU_MAXCPUS, workers));
  }
}

StarpuWorkers::StarpuWorkers(const Workload& workload, const Platform& platform,
                             const Settings& settings) {
  refuse_for_starpu(platform, settings.shared);
  number(platform, settings.shared);
  const auto bytes = memory_bytes(*platform.machine, workload);
  memory_.assign(nodes_, 0);
  for (std::size_t p = 0; p < processors(); ++p) {
    if (const unsigned node = node_of_[worker_of_[p]]; node > 0) memory_[node] = bytes[p];
  }
  start(settings);
  limit_memories();
}

StarpuWorkers::~StarpuWorkers() { starpu_shutdown(); }

/// Workers of node 0 come first, as StarPU numbers nodes in the order of their workers.
void StarpuWorkers::number(const Platform& platform, bool shared) {
  const auto& processors = platform.machine->processors;
  worker_of_.resize(processors.size());
  const auto add = [&](std::size_t p, unsigned node) {
    worker_of_[p] = static_cast<unsigned>(processor_of_.size());
    mask_ |= 1U << worker_of_[p];
    processor_of_.emplace_back(ProcessorId{static_cast<std::uint32_t>(p)});
    node_of_.push_back(node);
  };
  for (std::size_t p = 0; p < processors.size(); ++p) {
    if (shared || processors[p].in_host_memory) add(p, 0);
  }
  if (processor_of_.empty()) {
    processor_of_.emplace_back();
    node_of_.push_back(0);
  }
  for (std::size_t p = 0; p < processors.size(); ++p) {
    if (!shared && !processors[p].in_host_memory) add(p, nodes_++);
  }
}

void StarpuWorkers::start(const Settings& settings) {
  set("HWLOC_SYNTHETIC", fmt::format("numa:{}(memory=1TB) pu:{}", nodes_, units));
  set("STARPU_USE_NUMA", "1");
  set("STARPU_WORKERS_NOBIND", "1");
  set("STARPU_SILENT", "1");
  set("STARPU_HOME", settings.home);
  set("STARPU_PERF_MODEL_DIR", settings.home + "/models");
  for (const char* const name :
       {"STARPU_SCHED", "STARPU_NCPU", "STARPU_NCPUS", "STARPU_WORKERS_CPUID",
        "STARPU_LIMIT_CPU_MEM", "STARPU_LIMIT_CPU_NUMA_MEM", "STARPU_RESERVE_NCPU"}) {
    unsetenv(name);
  }
  for (unsigned node = 1; node < nodes_; ++node) {
    set(fmt::format("STARPU_LIMIT_CPU_NUMA_{}_MEM", node),
        std::to_string(in_mebibytes(memory_[node])));
  }
  starpu_conf conf{};
  starpu_conf_init(&conf);
  conf.precedence_over_environment_variables = 1;
  conf.ncpus = static_cast<int>(node_of_.size());
  conf.ncuda = 0;
  conf.nopencl = 0;
  conf.use_explicit_workers_bindid = 1;
  std::vector<unsigned> used(nodes_, 0);
  for (std::size_t worker = 0; worker < node_of_.size(); ++worker) {
    const unsigned node = node_of_[worker];
    conf.workers_bindid[worker] = node * units + used[node]++;
  }
  conf.sched_policy = settings.policy;
  conf.sched_policy_name = settings.policy == nullptr ? settings.policy_name.c_str() : nullptr;
  if (const int status = starpu_init(&conf); status != 0) {
    throw DeviceError(fmt::format("StarPU does not start: error {}", -status));
  }
}

/// StarPU is told of whole MiB: what is too much of the last is taken away.
void StarpuWorkers::limit_memories() {
  for (std::size_t worker = 0; worker < node_of_.size(); ++worker) {
    const auto id = static_cast<unsigned>(worker);
    if (starpu_worker_get_memory_node(id) != node_of_[worker]) {
      throw DeviceError(fmt::format("StarPU put worker {} on memory node {}, not {}", worker,
                                    starpu_worker_get_memory_node(id), node_of_[worker]));
    }
  }
  for (unsigned node = 1; node < nodes_; ++node) {
    const std::uint64_t more = in_mebibytes(memory_[node]) * mebibyte - memory_[node];
    if (more > 0 && starpu_memory_allocate(node, more, 0) != 0) {
      throw DeviceError(fmt::format("StarPU does not limit memory node {}", node));
    }
  }
}

std::vector<std::string> starpu_policies() {
  std::vector<std::string> names;
  for (auto** policy = starpu_sched_get_predefined_policies(); *policy != nullptr; ++policy) {
    names.emplace_back((*policy)->policy_name);
  }
  return names;
}

}  // namespace damocles
