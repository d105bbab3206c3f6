// DMDA and its kin: each task goes to the list of the processor where it should complete first. The
// policies differ in the order of the lists and in what counts as completion.
//
// Source: IPDPS'22, Algorithms 1 and 2 (dmda, dmdar); StarPU handbook, "Performance Modelling
// Policies" (the others); depth and prefetching as StarPU's (docs/explanation/peers.md).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "strategies/parts/completion_time.hpp"
#include "strategies/parts/per_processor_lists.hpp"
#include "strategies/parts/prefetch.hpp"
#include "strategies/parts/ready_by_priority.hpp"
#include "strategies/parts/ready_window.hpp"

namespace damocles {
namespace {

/// Lists in the order of submission, or where tasks wait for others, in which they become ready, as
/// StarPU pushes them. The option `prefetch` says when inputs are asked for: at the push too, or
/// whenever the link has time (so that Belady's rule is not MIN, although the order is fixed).
class AllottedWhenReady final : public PerProcessorLists {
 public:
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

 private:
  CompletionTimes times_;
  bool hints_at_push_;
};

/// Lists sorted by priority. Inputs of the next tasks of the list are fetched whenever the link has
/// time; `prefetch` says when they are asked for.
class PlacedByPriority final : public Strategy {
 public:
  using Index = TaskGraph::Index;

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

 private:
  CompletionTimes times_;
  ReadyByPriority lists_;
  bool hints_at_push_;
};

/// What the rows below have in common.
StrategyEntry allotted_entry(StrategyEntry row) {
  row.supports_dependencies = true;
  row.heterogeneous = true;
  row.loads_implicit = true;
  row.loads_ahead = true;
  return row;
}

StrategyEntry in_order_entry(StrategyEntry row) {
  row.host_bytes = {.by_data = ReadyList::bytes_by_data};
  return allotted_entry(std::move(row));
}

StrategyEntry by_priority_entry(StrategyEntry row) {
  row.host_bytes = {.by_data = PriorityLists::bytes_by_data};
  row.by_priority = true;
  return allotted_entry(std::move(row));
}

/// @param view  how many tasks of the highest priority are in view, where the option `window` does
///              not say so
auto make_by_priority(std::size_t view, Placing placing = {}) {
  return [=](const StrategyContext& context) -> std::unique_ptr<Strategy> {
    return std::make_unique<PlacedByPriority>(context, ready_window(context.spec, view), placing);
  };
}

const Register dmda_and_its_kin{
    in_order_entry(
        {.name = "dm",
         .source = "StarPU handbook",
         .summary =
             "Assign to the earliest completion time, ignoring transfers; to see what dmda gains",
         .options = {prefetch_option()},
         .make = [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
           return std::make_unique<AllottedWhenReady>(context, ListRules{.prefetch = true},
                                                      Placing{.transfers = false});
         }}),
    in_order_entry(
        {.name = "dmda",
         .source = "IPDPS'22, Alg. 1",
         .summary = "Assign to the earliest completion time, transfers included; for mixed nodes",
         .paper_names = {"DMDA", ""},
         .options = with_cost_options({prefetch_option(), transfers_option()}),
         .make = [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
           return std::make_unique<AllottedWhenReady>(context, ListRules{.prefetch = true});
         },
         .representative = true}),
    // With Ready: of the tasks allotted to it, a processor takes the first that needs the fewest
    // transfers. IPDPS'22 (V-B d) puts its loads where memory is short down to that; here they are
    // the same with nothing fetched ahead (depth=1: 225, 510 and 905 of the 2D product on one V100
    // at n = 65, 70 and 75, as measured), so that the list and LRU alone make them.
    in_order_entry(
        {.name = "dmdar",
         .source = "IPDPS'22, Alg. 1 and 2",
         .summary = "dmda; run the task that misses the fewest bytes first; for scarce memory",
         .paper_names = {"DMDAR", ""},
         .options = with_cost_options({prefetch_option(), window_option(), transfers_option()}),
         .make = [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
           const ListRules rules{.ready = ReadyList::whole,
                                 .prefetch = true,
                                 .window = ready_window(context.spec, ReadyList::whole)};
           return std::make_unique<AllottedWhenReady>(context, rules);
         },
         .by_residency = true,
         .representative = true}),
    // Tasks of one priority in the order in which they came.
    by_priority_entry({.name = "dmdap",
                       .source = "StarPU handbook",
                       .summary = "dmda; run the highest priority first",
                       .options = with_cost_options({prefetch_option(), transfers_option()}),
                       .make = make_by_priority(1)}),
    // Among the first 128 tasks of one priority the one that lacks the fewest bytes.
    by_priority_entry(
        {.name = "dmdas",
         .source = "StarPU handbook",
         .summary =
             "dmda; run by priority, then fewest missing bytes; for graphs with dependencies",
         .options = with_cost_options({prefetch_option(), window_option(), transfers_option()}),
         .make = make_by_priority(ReadyByPriority::wide),
         .by_residency = true,
         .representative = true}),
    // dmdas, and where a task goes is decided with what goes before it alone: listed tasks of a
    // lower priority, which it overtakes, do not count.
    by_priority_entry(
        {.name = "dmdasd",
         .source = "StarPU handbook",
         .summary = "dmdas; ignore lower-priority queued tasks when estimating completion",
         .options = with_cost_options({prefetch_option(), window_option(), transfers_option()}),
         .make = make_by_priority(ReadyByPriority::wide, {.by_priority = true}),
         .by_residency = true})};

}  // namespace
}  // namespace damocles
