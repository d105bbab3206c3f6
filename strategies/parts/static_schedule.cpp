#include "strategies/parts/static_schedule.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "orders/static_plan.hpp"
#include "strategies/parts/fixed_lists.hpp"
#include "strategies/parts/prefetch.hpp"

namespace damocles {
namespace {

using StaticTask = TaskGraph::Index;

class StaticSchedule final : public Strategy {
 public:
  StaticSchedule(const StrategyContext& context, Schedule schedule)
      : StaticSchedule(context, static_plan(context.workload, context.platform, schedule)) {}

  std::optional<ProcessorId> on_ready(TaskId task) override {
    return lists_.make_ready(static_cast<StaticTask>(raw(task)));
  }
  void request(ProcessorId processor, Grant& grant) override {
    const auto task = lists_.take(processor);
    if (!task) return;
    grant.tasks.add(TaskId{*task});
    StaticSchedule::prefetch_hints(processor, grant.loads);
  }
  void prefetch_hints(ProcessorId processor, std::vector<DataId>& loads) override {
    if (!hints_at_push_) return;
    constexpr std::size_t tasks_ahead = 128;
    constexpr std::size_t loads_ahead = 16;
    lists_.for_each_ready_while(processor, tasks_ahead, [&](StaticTask task) {
      for (const StaticTask data : graph_.needed(task)) {
        if (!memory_.resident(processor, DataId{data})) loads.push_back(DataId{data});
      }
      return loads.size() < loads_ahead;
    });
  }
  /// What was fetched ahead stays for the tasks it was fetched for.
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return hints_at_push_ ? lists_.uses(processor, static_cast<StaticTask>(raw(data))) : 0;
  }

  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    return lists_.next_use(processor, static_cast<StaticTask>(raw(data)));
  }
  [[nodiscard]] bool knows_all_uses() const override { return true; }
  [[nodiscard]] std::optional<double> planned_makespan_s() const override {
    return planned_makespan_s_;
  }

 private:
  StaticSchedule(const StrategyContext& context, const StaticPlan& planned)
      : graph_(context.workload.graph()),
        memory_(context.memory),
        lists_(graph_, planned.of_processors),
        planned_makespan_s_(planned.makespan_s),
        hints_at_push_(hints_at_push(context.spec) && context.workload.has_dependencies()) {
    if (context.workload.has_dependencies()) return;
    for (StaticTask task = 0; task < graph_.tasks(); ++task) lists_.make_ready(task);
  }

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  FixedLists lists_;
  double planned_makespan_s_;
  bool hints_at_push_;
};

}  // namespace

StrategyEntry static_entry(const StaticStrategy& named) {
  return {
      .name = named.name,
      .source = named.source,
      .summary = named.summary,
      .options =
          {{"prefetch",
            "when to prefetch inputs: grant (default): of granted tasks; push: also of ready tasks on the list, "
            "when a task becomes ready; for graphs with dependencies",
            OptionValues::words({"push", "grant"})}},
      .make = [schedule = schedule_called(named.name)](
                  const StrategyContext& context) -> std::unique_ptr<Strategy> {
        return std::make_unique<StaticSchedule>(context, schedule);
      },
      .supports_dependencies = true,
      .heterogeneous = true,
      .loads_implicit = true,
      .static_order = true,
      .whole_graph = true,
      .representative = named.representative};
}

}  // namespace damocles
