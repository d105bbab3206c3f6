#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strategies/parts/completion_time.hpp"
#include "strategies/parts/prefetch.hpp"
#include "strategies/parts/ready_by_priority.hpp"

namespace damocles {

/// DMDA with lists sorted by priority, and its kin: each task goes to the list of the processor
/// where it should complete first, when it is submitted; where tasks wait for others, when it is
/// ready. Inputs of the next tasks of the list are fetched whenever the link has time; `prefetch`
/// says when they are asked for.
class PlacedByPriority : public Strategy {
 public:
  using Index = TaskGraph::Index;

  std::optional<ProcessorId> on_ready(TaskId task) override {
    const auto ready = static_cast<Index>(raw(task));
    const ProcessorId to = times_.allot(ready);
    lists_.push(to, ready);
    return to;
  }
  void on_started(ProcessorId processor, TaskId task) override {
    times_.started(processor, static_cast<Index>(raw(task)));
  }
  void on_finished(ProcessorId processor, TaskId task) override {
    times_.finished(processor, static_cast<Index>(raw(task)));
  }
  void request(ProcessorId processor, Grant& grant) override {
    const auto task = lists_.take(processor);
    if (!task) return;
    grant.tasks.add(TaskId{*task});
    times_.granted(processor, *task);
    lists_.hint_next(processor, grant.loads);
  }
  void prefetch_hints(ProcessorId processor, std::vector<DataId>& loads) override {
    if (hints_at_push_) lists_.hint_next(processor, loads);
  }
  [[nodiscard]] bool waits_for_inputs() const override { return true; }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return lists_.uses(processor, data);
  }

 protected:
  /// @param view  of the list, see ReadyByPriority
  PlacedByPriority(const StrategyContext& context, std::size_t view, Placing placing = {})
      : times_(context, placing),
        lists_(context.workload.graph(), context.memory, context.platform.processors(), view),
        hints_at_push_(hints_at_push(context.spec)) {
    if (context.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < context.workload.tasks(); ++task) {
      PlacedByPriority::on_ready(TaskId{task});
    }
  }

 private:
  CompletionTimes times_;
  ReadyByPriority lists_;
  bool hints_at_push_;
};

}  // namespace damocles
