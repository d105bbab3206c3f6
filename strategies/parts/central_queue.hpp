#pragma once

#include <optional>

#include "models/platforms/durations.hpp"
#include "strategies/parts/kind_queues.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// One queue of ready tasks for all processors: who asks takes the first that it can run.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies".
template <typename Queue>
class CentralQueue : public Strategy {
 public:
  using Index = TaskGraph::Index;

  explicit CentralQueue(const StrategyContext& context)
      : durations_(context.workload, context.platform), queue_(context.workload.graph()) {
    if (context.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < context.workload.tasks(); ++task) {
      CentralQueue::on_ready(TaskId{task});
    }
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    queue_.push(static_cast<Index>(raw(task)));
    return std::nullopt;
  }
  void request(ProcessorId processor, Grant& grant) override {
    const auto task =
        queue_.take_first_if([&](Index first) { return durations_.runs(raw(processor), first); });
    if (task) grant.tasks.add(TaskId{*task});
  }
  [[nodiscard]] bool exhausted() const override { return queue_.empty(); }

 private:
  Durations durations_;
  KindQueues<Queue> queue_;
};

}  // namespace damocles
