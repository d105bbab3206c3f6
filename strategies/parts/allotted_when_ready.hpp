#pragma once

#include "strategies/parts/completion_time.hpp"
#include "strategies/parts/per_processor_lists.hpp"
#include "strategies/parts/prefetch.hpp"

namespace damocles {

/// DMDA and its kin: each task goes to the list of the processor where it should complete first,
/// when it is submitted; where tasks wait for others, when it is ready, as StarPU pushes them.
/// Then, too, its inputs may be asked for: option `prefetch`.
class AllottedWhenReady : public PerProcessorLists {
 public:
  std::optional<ProcessorId> on_ready(TaskId task) override {
    const auto ready = static_cast<Index>(raw(task));
    const ProcessorId to = times_.allot(ready);
    push(to, ready);
    return to;
  }
  void prefetch_hints(ProcessorId processor, std::vector<DataId>& loads) override {
    if (hints_at_push_) hint_requests(processor, loads);
  }
  void on_started(ProcessorId processor, TaskId task) override {
    PerProcessorLists::on_started(processor, task);
    times_.started(processor, static_cast<Index>(raw(task)));
  }
  void on_finished(ProcessorId processor, TaskId task) override {
    times_.finished(processor, static_cast<Index>(raw(task)));
  }

 protected:
  /// @pre rules.prefetch
  AllottedWhenReady(const StrategyContext& context, const ListRules& rules, Placing placing = {})
      : PerProcessorLists(context, {}, rules),
        times_(context, placing),
        hints_at_push_(hints_at_push(context.spec)) {
    if (context.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < context.workload.tasks(); ++task) {
      AllottedWhenReady::on_ready(TaskId{task});
    }
  }

 private:
  CompletionTimes times_;
  bool hints_at_push_;
};

}  // namespace damocles
