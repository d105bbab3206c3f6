#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strategies/registry.hpp"

namespace damocles {

/// Tasks of kinds A and B, as `kinds` says, that wait for nobody; task t reads data t of 100 B and
/// writes nothing.
inline Workload tasks_of(const std::vector<std::uint16_t>& kinds) {
  TaskGraph::Parts parts;
  parts.bytes.assign(kinds.size(), 100);
  parts.kind_names = {"A", "B"};
  parts.task_kinds = kinds;
  for (TaskGraph::Index task = 0; task < kinds.size(); ++task)
    parts.add_task(std::vector<TaskGraph::Index>{task}, 1);
  return Workload::of_graph("by hand", TaskGraph(std::move(parts)));
}

/// A takes 1 s on the GPU and 10 on a core, B 2 s and 3.
inline Platform gpu_and_cores(double bus_bytes_per_s = 1e9) {
  Platform platform{.speeds = {1, 1, 1}};
  platform.machine = MachineModel{.processors = {{.flops_per_s = 1,
                                                  .memory_bytes = 1000,
                                                  .link_bytes_per_s = bus_bytes_per_s,
                                                  .kernel_times = {{"A", 1}, {"B", 2}}}},
                                  .bus_bytes_per_s = bus_bytes_per_s,
                                  .jitter = 0};
  platform.machine->processors.resize(3, {.flops_per_s = 1,
                                          .kernel_times = {{"A", 10}, {"B", 3}},
                                          .kind = "cpu",
                                          .in_host_memory = true});
  return platform;
}

/// A strategy on one GPU and two cores, asked by hand.
class Asked {
 public:
  Asked(const std::string& strategy, Workload workload, Platform platform)
      : workload_(std::move(workload)),
        platform_(std::move(platform)),
        memory_(3, workload_.data()),
        choice_(StrategyChoice::parse(strategy, workload_)),
        strategy_(choice_.make({workload_,
                                platform_,
                                memory_,
                                choice_.spec,
                                Rng(1, Draw::strategy, 0),
                                {1000, 1000, 1000}})) {}

  /// The task that the processor is granted, or nothing.
  std::vector<std::uint64_t> granted(std::uint32_t processor) {
    Grant grant;
    strategy_->request(ProcessorId{processor}, grant);
    std::vector<std::uint64_t> result;
    grant.tasks.for_each([&](TaskId task) { result.push_back(raw(task)); });
    return result;
  }

 private:
  Workload workload_;
  Platform platform_;
  NodeMemory memory_;
  StrategyChoice choice_;
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace damocles
