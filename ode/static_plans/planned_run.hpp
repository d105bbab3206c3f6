// A run of a static schedule on limited memory, as its model sees it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/platforms/platform.hpp"
#include "models/workload.hpp"
#include "orders/static_plan.hpp"

namespace damocles {

/// Tasks that wait for each other and write, on processors that one bus feeds. Some of these may
/// compute in host memory.
struct PlannedRun {
  struct Processor {
    std::uint64_t memory_bytes = 0;
    bool in_host_memory = false;  ///< it has no memory of its own, and no link
    double link_bytes_per_s = 0;  ///< in each direction, at most that of the bus
    std::size_t depth = 0;        ///< tasks in its buffer, the running one included
  };

  const TaskGraph* graph = nullptr;  ///< of the workload, which outlives the run
  Durations durations;               ///< as expected, without jitter
  StaticPlan plan{};
  std::vector<Processor> processors{};
  double bus_bytes_per_s = 0;      ///< of all transfers together
  double latency_s = 0;            ///< of each transfer, before its bytes flow
  double request_s = 0;            ///< more of it, where the next task waits for the transfer
  double jitter = 0;               ///< the most by which a task takes longer, at random [1]
  bool returns_all = false;        ///< at the end all that is modified goes to host memory
  bool ends_with_returns = false;  ///< and the run ends when it is there

  [[nodiscard]] std::size_t own_memories() const;
};

/// Why the model says nothing of a run there, or "".
[[nodiscard]] std::string why_no_planned_run(const Workload& workload, const Platform& platform);

/// @param depth  0: as the platform says, or as many as the machine needs
/// @pre why_no_planned_run() is ""; the workload outlives the run
/// @throws Infeasible where the inputs of a task exceed a memory
[[nodiscard]] PlannedRun planned_run(const Workload& workload, const Platform& platform,
                                     Schedule schedule, std::size_t depth = 0);

}  // namespace damocles
