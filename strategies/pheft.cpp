#include "strategies/parts/completion_time.hpp"
#include "strategies/parts/per_processor_lists.hpp"
#include "strategies/parts/prefetch.hpp"
#include "strategies/parts/teams.hpp"

namespace damocles {
namespace {

/// As dmda, over processors and teams of cores: each task where it should complete first, in the
/// order in which they become ready. A team can begin when the last of its cores is done with what
/// it was allotted; of what a placement costs a transfer is a part beside the end, which does not
/// count it.
///
/// Source: StarPU handbook, "Task Scheduling Policies" (pheft), and its code.
class Pheft final : public PerProcessorLists {
 public:
  explicit Pheft(const StrategyContext& context)
      : PerProcessorLists(context, {}, {.prefetch = true}),
        platform_(context.platform),
        times_(context, {.transfers_delay = false, .teams = true}),
        lines_(context.platform.processors()),
        hints_at_push_(hints_at_push(context.spec)) {
    if (context.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < context.workload.tasks(); ++task) {
      Pheft::on_ready(TaskId{task});
    }
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    const auto ready = static_cast<Index>(raw(task));
    const auto choice = times_.choose(ready);
    times_.allot(ready, choice);
    if (!in_host_memory(choice.processor)) {
      push(choice.processor, ready);
      return choice.processor;
    }
    Team team{choice.processor};
    team.insert(team.end(), choice.helpers.begin(), choice.helpers.end());
    lines_.add(ready, std::move(team));
    return choice.processor;
  }
  void request(ProcessorId processor, Grant& grant) override {
    if (!in_host_memory(processor)) return PerProcessorLists::request(processor, grant);
    if (const auto task = lines_.next(processor)) grant.tasks.add(TaskId{*task});
  }
  void prefetch_hints(ProcessorId processor, std::vector<DataId>& loads) override {
    if (hints_at_push_ && !in_host_memory(processor)) hint_requests(processor, loads);
  }
  void on_started(ProcessorId processor, TaskId task) override {
    PerProcessorLists::on_started(processor, task);
    times_.started(processor, static_cast<Index>(raw(task)));
  }
  void on_finished(ProcessorId processor, TaskId task) override {
    times_.finished(processor, static_cast<Index>(raw(task)));
    lines_.finished(static_cast<Index>(raw(task)));
  }
  [[nodiscard]] std::span<const ProcessorId> helpers(ProcessorId, TaskId task) const override {
    return lines_.helpers(static_cast<Index>(raw(task)));
  }
  [[nodiscard]] bool consume_wakeup() override { return lines_.consume_wakeup(); }

 private:
  [[nodiscard]] bool in_host_memory(ProcessorId processor) const {
    return platform_.machine && platform_.machine->processors[raw(processor)].in_host_memory;
  }

  const Platform& platform_;
  CompletionTimes times_;
  TeamLines lines_;
  bool hints_at_push_;
};

const Register pheft_entry{StrategyEntry{
    .name = "pheft",
    .source = "StarPU handbook",
    .summary = "Assign to the processor or team of cores with the earliest completion time",
    .options = with_cost_options(with_team_options({prefetch_option()})),
    .make = make<Pheft>,
    .misfit = team_misfit,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .host_bytes = {.by_data = ReadyList::bytes_by_data},
    .loads_ahead = true}};

}  // namespace
}  // namespace damocles
