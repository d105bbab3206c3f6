#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strategies/registry.hpp"

namespace damocles {

/// Two GPUs of 1 flop/s on a bus of 1 MB/s, on which a byte costs next to nothing.
inline Platform two_gpus() {
  Platform platform{.speeds = {1, 1}};
  platform.machine = MachineModel{
      .processors = {2, {.flops_per_s = 1, .memory_bytes = 100, .link_bytes_per_s = 1e6}},
      .bus_bytes_per_s = 1e6,
      .jitter = 0};
  return platform;
}

using TaskIds = std::vector<std::uint64_t>;

/// A strategy on four tasks of 1 flop that wait for a fifth, the first, each with data of its own.
class Fan {
 public:
  explicit Fan(const std::string& strategy, const std::vector<double>& priorities)
      : platform_(two_gpus()),
        workload_(Workload::of_graph("fan", TaskGraph(fan(priorities)))),
        memory_(2, workload_.data()),
        choice_(StrategyChoice::parse(strategy, workload_)),
        strategy_(choice_.make(
            {workload_, platform_, memory_, choice_.spec, Rng(1, Draw::strategy, 0), {100, 100}})) {
  }

  Strategy& operator*() { return *strategy_; }
  NodeMemory& memory() { return memory_; }

  /// What the processor is granted, task after task, until it gets none.
  TaskIds granted(std::uint32_t processor) {
    TaskIds result;
    while (true) {
      Grant grant;
      strategy_->request(ProcessorId{processor}, grant);
      if (grant.tasks.empty()) return result;
      grant.tasks.for_each([&](TaskId task) { result.push_back(raw(task)); });
    }
  }
  /// What is asked for ahead at a push to the processor.
  TaskIds hints(std::uint32_t processor) {
    std::vector<DataId> loads;
    strategy_->prefetch_hints(ProcessorId{processor}, loads);
    TaskIds result;
    for (const DataId data : loads) result.push_back(raw(data));
    return result;
  }
  /// The first task runs on the processor, and the others are ready.
  void first_runs_on(std::uint32_t processor) {
    strategy_->on_ready(TaskId{0});
    Grant grant;
    strategy_->request(ProcessorId{processor}, grant);
    strategy_->on_finished(ProcessorId{processor}, TaskId{0});
    for (std::uint64_t task = 1; task < 5; ++task) strategy_->on_ready(TaskId{task});
  }

 private:
  static TaskGraph::Parts fan(const std::vector<double>& priorities) {
    TaskGraph::Parts parts;
    parts.bytes.assign(5, 1);
    for (TaskGraph::Index task = 0; task < 5; ++task) {
      parts.add_task(std::vector<TaskGraph::Index>{task}, 1);
      if (task > 0) parts.dependencies.emplace_back(task, 0);
    }
    parts.priorities = priorities;
    return parts;
  }

  Platform platform_;
  Workload workload_;
  NodeMemory memory_;
  StrategyChoice choice_;
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace damocles
