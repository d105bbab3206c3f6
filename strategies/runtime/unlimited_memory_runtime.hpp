#pragma once

#include <deque>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/node_memory.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"
#include "strategies/runtime/runtime.hpp"
#include "strategies/runtime/unlimited_grants.hpp"

namespace damocles {

/// The rules of HPDC'14 for processors with all the memory they want, on any machine: who is sent
/// data and tasks (UnlimitedGrants) computes the tasks in order, each when its inputs have arrived,
/// and asks again when fewer than `depth` of its tasks are left (1: when it is idle, as the paper
/// has it).
///
/// On a machine where communication takes no time it does, with depth 1, what the fast path of the
/// simulator does (simulate_unlimited(); tests/sim/unlimited_agreement_test.cpp).
class UnlimitedMemoryRuntime final : public Runtime {
 public:
  /// All references outlive it. @pre depth >= 1, lanes >= 1
  UnlimitedMemoryRuntime(const Workload& workload, const Platform& platform,
                         const StrategyChoice& strategy, std::uint64_t seed,
                         std::uint64_t replicate, std::size_t depth, std::size_t lanes,
                         ExecutionBackend& backend);

  void start() override;
  void load_ended(ProcessorId processor, DataId data) override;
  void task_ended(ProcessorId processor, TaskId task) override;
  void write_ended(ProcessorId, TaskId) override {}  // outputs take no memory here
  [[nodiscard]] double scheduling_s() const override { return scheduling_s_; }

 private:
  struct Node {
    std::deque<TaskId> tasks;  // granted and not ended, the running ones first
    std::size_t running = 0;
    double pending_overhead_s = 0;
  };

  void serve(ProcessorId processor);
  bool ask(ProcessorId processor, Node& node);
  [[nodiscard]] bool ready(ProcessorId processor, TaskId task) const;

  const Workload& workload_;
  std::size_t depth_;
  std::size_t lanes_;
  ExecutionBackend& backend_;
  UnlimitedGrants grants_;
  NodeMemory arrived_;
  std::vector<Node> nodes_;
  double scheduling_s_ = 0;
};

}  // namespace damocles
