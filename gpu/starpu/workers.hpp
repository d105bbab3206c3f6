#pragma once

#include <starpu.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// The workers of StarPU that are the processors of a platform, from now on until the end.
///
/// Every processor is a CPU worker. Those that compute in host memory are workers of memory node 0,
/// which holds all data; every other has a node of its own, a NUMA node of a machine that hwloc is
/// told of (HWLOC_SYNTHETIC), limited to the processor's memory by StarPU's own setting. Node 0 has
/// to have a worker: where no processor is in host memory, it is one that may run nothing.
///
/// What StarPU reads from the environment is set here, for this process: nothing is bound to cores,
/// and what it measures goes to a folder of ours, not to the user's home.
class StarpuWorkers {
 public:
  struct Settings {
    /// All processors are workers of node 0.
    bool shared = false;
    std::string home;                       ///< where StarPU writes what it measures
    starpu_sched_policy* policy = nullptr;  ///< one of ours; or:
    std::string policy_name;                ///< one of StarPU's own
  };

  /// Starts StarPU. @throws InvalidInput where it has not such processors, DeviceError where it
  /// does not start
  StarpuWorkers(const Workload& workload, const Platform& platform, const Settings& settings);
  ~StarpuWorkers();
  StarpuWorkers(const StarpuWorkers&) = delete;
  StarpuWorkers& operator=(const StarpuWorkers&) = delete;

  [[nodiscard]] std::size_t processors() const { return worker_of_.size(); }
  /// Nothing for the worker that may run nothing.
  [[nodiscard]] std::optional<ProcessorId> processor(unsigned worker) const {
    return processor_of_[worker];
  }
  [[nodiscard]] unsigned worker(ProcessorId processor) const { return worker_of_[raw(processor)]; }
  [[nodiscard]] unsigned node(ProcessorId processor) const {
    return starpu_worker_get_memory_node(worker(processor));
  }
  /// Whether the processor computes in the memory that holds all data.
  [[nodiscard]] bool in_host_memory(ProcessorId processor) const { return node(processor) == 0; }
  /// Those that may run tasks: a bit a worker.
  [[nodiscard]] std::uint32_t mask() const { return mask_; }

 private:
  void number(const Platform& platform, bool shared);
  void start(const Settings& settings);
  void limit_memories();

  unsigned nodes_ = 1;
  std::vector<unsigned> worker_of_;                       // by processor
  std::vector<std::optional<ProcessorId>> processor_of_;  // by worker
  std::vector<unsigned> node_of_;                         // by worker
  std::uint32_t mask_ = 0;
  std::vector<std::uint64_t> memory_;  // of each node [B], 0: not limited
};

/// @throws InvalidInput on a platform whose processors cannot be StarPU's workers and memory nodes
void refuse_for_starpu(const Platform& platform, bool shared);

/// The names of StarPU's own policies.
[[nodiscard]] std::vector<std::string> starpu_policies();

}  // namespace damocles
