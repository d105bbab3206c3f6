#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/placements/placement.hpp"
#include "models/platforms/durations.hpp"
#include "strategies/parts/fixed_lists.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using PlacedIndex = TaskGraph::Index;

const GivenPlacement& placement_in(const StrategyContext& context) {
  if (context.placement != nullptr) return *context.placement;
  context.spec.refuse("needs a placement, which only the strategy by itself reads");
}

[[noreturn]] void refuse_place(const StrategyContext& context, PlacedIndex task,
                               const std::string& why) {
  throw Infeasible(fmt::format("{}: task '{}' {}", placement_in(context).place(task),
                               context.workload.graph().task_name(task), why));
}

/// Refuses a task on a processor that is not there, or that cannot run its kind.
void check_places(const StrategyContext& context, const Durations& durations) {
  const GivenPlacement& placement = placement_in(context);
  const TaskGraph& graph = context.workload.graph();
  const std::size_t processors = context.platform.processors();
  for (PlacedIndex task = 0; task < graph.tasks(); ++task) {
    for (const std::uint32_t p : placement.groups[placement.group_of[task]]) {
      if (p >= processors) {
        refuse_place(context, task,
                     fmt::format("runs on processor {}, but the platform has {}, numbered from 0",
                                 p, processors));
      }
      if (durations.runs(p, task)) continue;
      refuse_place(context, task,
                   fmt::format("runs on {}, which cannot run the kind '{}'",
                               context.platform.name(p), graph.kind_name(task)));
    }
  }
}

std::vector<std::vector<PlacedIndex>> lists_in(const StrategyContext& context) {
  std::vector<std::vector<PlacedIndex>> lists(context.platform.processors());
  for (const auto& [processor, list] : placement_in(context).lists) {
    if (processor < lists.size()) lists[processor] = list;  // else check_places refuses
  }
  return lists;
}

/// Static scheduling: each task runs where a file says, on one processor or on one of several, and
/// those for which it says so in an order.
///
/// A processor that asks takes the next task of its list, if it is ready; else, of the ready tasks
/// that it may run without an order, the one of the highest priority, of equal ones the one
/// submitted first. So an ordered task waits for those before it on its list, and never for one
/// without a place there. Where tasks commute on a data item, the lists are kept but for who has
/// his turn on it (FixedLists).
///
/// Source: StarPU's handbook, Static Scheduling: execute_on_a_specific_worker, workerids,
/// workerorder. Its policies choose among several workers by their own rules.
class PlacedByFile final : public Strategy {
 public:
  explicit PlacedByFile(const StrategyContext& context)
      : placement_(placement_in(context)),
        durations_(context.workload, context.platform),
        lists_(context.workload.graph(), lists_in(context)),
        on_list_(context.workload.graph().tasks(), false),
        open_(placement_.groups.size()),
        groups_of_(context.platform.processors(), {any_processor}),
        further_(on_list_.size(), placement_.waits),
        ready_(on_list_.size(), false) {
    check_places(context, durations_);
    if (!further_.empty() && !context.platform.machine) {
      throw Infeasible(fmt::format(
          "file '{}' lets tasks wait for others, which needs a platform of limited memory, as gpus:k=2",
          placement_.file.path));
    }
    for (const auto& [processor, list] : placement_.lists) {
      for (const PlacedIndex task : list) on_list_[task] = true;
    }
    for (std::uint32_t group = 1; group < placement_.groups.size(); ++group) {
      for (const std::uint32_t p : placement_.groups[group]) groups_of_[p].push_back(group);
    }
    for (PlacedIndex task = 0; task < on_list_.size(); ++task) {
      waits_left_.push_back(further_.waits_for(task));
      if (!context.workload.has_dependencies()) PlacedByFile::on_ready(TaskId{task});
    }
  }

  std::optional<ProcessorId> on_ready(TaskId id) override {
    const auto task = static_cast<PlacedIndex>(raw(id));
    ready_[task] = true;
    return waits_left_[task] > 0 ? std::nullopt : open(task);
  }
  void on_finished(ProcessorId, TaskId id) override {
    for (const PlacedIndex later : further_.after(static_cast<PlacedIndex>(raw(id)))) {
      if (--waits_left_[later] > 0 || !ready_[later]) continue;
      open(later);
      woke_ = true;
    }
  }
  [[nodiscard]] bool consume_wakeup() override { return std::exchange(woke_, false); }

  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    return lists_.next_use(processor, static_cast<PlacedIndex>(raw(data)));
  }
  [[nodiscard]] bool knows_all_uses() const override {
    return std::find(on_list_.begin(), on_list_.end(), false) == on_list_.end();
  }

  void request(ProcessorId processor, Grant& grant) override {
    auto task = lists_.take(processor);
    if (!task) task = take_unordered(raw(processor));
    if (task) grant.tasks.add(TaskId{*task});
  }

 private:
  /// By priority, then as submitted.
  using Open = std::set<std::pair<double, PlacedIndex>>;
  static constexpr std::uint32_t any_processor = 0;  // of GivenPlacement::groups

  /// @return the processor that alone may run it, where it is so
  std::optional<ProcessorId> open(PlacedIndex task) {
    if (on_list_[task]) return lists_.make_ready(task);
    const std::uint32_t group = placement_.group_of[task];
    open_[group].emplace(-placement_.priorities[task], task);
    const auto& processors = placement_.groups[group];
    return processors.size() == 1 ? std::optional(ProcessorId{processors.front()}) : std::nullopt;
  }
  std::optional<PlacedIndex> take_unordered(std::size_t processor) {
    Open* from = nullptr;
    Open::const_iterator best;
    for (const std::uint32_t group : groups_of_[processor]) {
      auto at = open_[group].cbegin();
      while (at != open_[group].cend() && !durations_.runs(processor, at->second)) ++at;
      if (at == open_[group].cend() || (from != nullptr && *best < *at)) continue;
      from = &open_[group];
      best = at;
    }
    if (from == nullptr) return std::nullopt;
    const PlacedIndex task = best->second;
    from->erase(best);
    return task;
  }

  const GivenPlacement& placement_;
  Durations durations_;
  FixedLists lists_;
  std::vector<bool> on_list_;                          // by task
  std::vector<Open> open_;                             // ready tasks without an order, by group
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by processor
  Dependencies further_;                               // waits that the file adds
  std::vector<std::uint32_t> waits_left_{};            // of these, by task
  std::vector<bool> ready_;                            // by task, but for these
  bool woke_ = false;
};

/// The file says of each task after which other it runs.
bool all_in_order(const StrategyChoice& choice, const Workload& workload, const Platform&) {
  std::size_t listed = 0;
  for (const auto& [processor, list] : choice.placement->lists) listed += list.size();
  return listed == workload.tasks();
}

const Register placed_entry{StrategyEntry{
    .name = "placed",
    .source = "StarPU handbook",
    .summary = "Follow the placement and order of a file, e.g. of a recorded schedule",
    .options =
        {{"placement",
          "required: StarPU's tasks.rec (the recorded run) or sched.rec (for starpu_replay), "
          "or Damocles' own .json (docs/reference/placements.md)",
          OptionValues{}}},
    .make = make<PlacedByFile>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .order_known = all_in_order,
    .reads_placement = true,
    .whole_graph = true}};

}  // namespace
}  // namespace damocles
