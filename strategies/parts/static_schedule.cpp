#include "strategies/parts/static_schedule.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "models/data_flow.hpp"
#include "models/platforms/durations.hpp"
#include "strategies/parts/fixed_lists.hpp"
#include "strategies/parts/prefetch.hpp"

namespace damocles {
namespace {

using StaticTask = TaskGraph::Index;

/// Between processors, over host memory: two copies, one where one of them computes there. A copy
/// counts as many as it takes times as long, latencies aside, as one of the mean processor.
class Ways {
 public:
  explicit Ways(const Platform& platform)
      : machine_(platform.machine ? &*platform.machine : nullptr) {
    if (machine_ == nullptr) return;
    const std::size_t copying = machine_->on_buses();  // GPUs come first
    if (copying == 0) {
      mean_copies_ = 0;
      return;
    }
    bool alike = true;
    double slowness = 0;
    for (std::size_t k = 0; k < copying; ++k) {
      alike = alike && machine_->home_rate(k) == machine_->home_rate(0);
      slowness += 1 / machine_->home_rate(k);
    }
    mean_rate_ = alike ? machine_->home_rate(0) : static_cast<double>(copying) / slowness;
    // Each end of a pair copies unless it is in host memory.
    mean_copies_ =
        2 * static_cast<double>(copying) / static_cast<double>(machine_->processors.size());
  }

  /// [s]
  [[nodiscard]] double mean_s(std::uint64_t bytes) const {
    if (machine_ == nullptr || bytes == 0 || mean_copies_ == 0) return 0;
    return mean_copies_ * (machine_->latency_s + static_cast<double>(bytes) / mean_rate_);
  }
  [[nodiscard]] double share(std::size_t from, std::size_t to) const {
    if (from == to || mean_copies_ == 0) return 0;
    if (machine_ == nullptr) return 1;
    return (copies(from) + copies(to)) / mean_copies_;
  }

 private:
  [[nodiscard]] double copies(std::size_t k) const {
    return machine_->processors[k].in_host_memory ? 0 : mean_rate_ / machine_->home_rate(k);
  }

  const MachineModel* machine_;
  double mean_copies_ = 2;
  double mean_rate_ = 0;  // [B/s]
};

/// Who waits for whom, and beside that, who is passed something by whom.
Dependencies waits_and_flow(const TaskGraph& graph, const DataFlow& flow) {
  const Dependencies& given = graph.dependencies();
  std::vector<Dependencies::Wait> waits;
  for (StaticTask task = 0; task < graph.tasks(); ++task) {
    for (const DataFlow::Passed& passed : flow.into(task)) {
      if (!given.waits(task, passed.from)) waits.emplace_back(task, passed.from);
    }
  }
  if (waits.empty()) return given;
  const std::size_t nodes = graph.tasks() + given.joints();
  for (StaticTask node = 0; node < nodes; ++node) {
    for (const StaticTask later : given.nodes_after(node)) waits.emplace_back(later, node);
  }
  return {graph.tasks(), waits, given.joints()};
}

/// A static schedule, as the strategy runs it.
struct StaticLists {
  std::vector<std::vector<StaticTask>> of_processors;  ///< in the order of their starts
  double makespan_s = 0;                               ///< when the last task is planned to end
};

StaticLists static_lists(const StrategyContext& context, const NamedSchedule& named) {
  const TaskGraph& graph = context.workload.graph();
  const Durations durations(context.workload, context.platform);
  const Ways ways(context.platform);
  const DataFlow flow(graph);
  const PlannedGraph planned(
      waits_and_flow(graph, flow), graph.tasks(), context.platform.processors(),
      {.duration_s = [&](StaticTask task, std::size_t k) { return durations.s(k, task); },
       .transfer_s = [&](StaticTask before,
                         StaticTask after) { return ways.mean_s(flow.bytes(before, after)); },
       .share = [&](std::size_t from, std::size_t to) { return ways.share(from, to); }});
  const std::vector<Placement> placements = named.schedule(planned);
  std::vector<StaticTask> order = planned.order();
  std::stable_sort(order.begin(), order.end(), [&](StaticTask a, StaticTask b) {
    return placements[a].start_s < placements[b].start_s;
  });
  StaticLists lists;
  lists.of_processors.resize(planned.processors());
  for (const StaticTask task : order) {
    lists.of_processors[raw(placements[task].processor)].push_back(task);
    lists.makespan_s = std::max(lists.makespan_s, placements[task].end_s);
  }
  return lists;
}

class StaticSchedule final : public Strategy {
 public:
  StaticSchedule(const StrategyContext& context, const NamedSchedule& named)
      : StaticSchedule(context, static_lists(context, named)) {}

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

  [[nodiscard]] std::optional<double> planned_makespan_s() const override {
    return planned_makespan_s_;
  }

 private:
  StaticSchedule(const StrategyContext& context, const StaticLists& planned)
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

StrategyEntry static_entry(const NamedSchedule& named) {
  return {
      .name = named.name,
      .source = named.source,
      .summary = named.summary,
      .options =
          {{"prefetch",
            "when to prefetch inputs: grant (default): of granted tasks; push: also of ready tasks on the list, "
            "when a task becomes ready; for graphs with dependencies",
            OptionValues::words({"push", "grant"})}},
      .make = [named](const StrategyContext& context) -> std::unique_ptr<Strategy> {
        return std::make_unique<StaticSchedule>(context, named);
      },
      .supports_dependencies = true,
      .heterogeneous = true,
      .loads_implicit = true,
      .whole_graph = true,
      .representative = named.representative};
}

}  // namespace damocles
