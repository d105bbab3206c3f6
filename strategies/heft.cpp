#include <algorithm>

#include "models/levels.hpp"
#include "models/platforms/durations.hpp"
#include "strategies/orders/heft_schedule.hpp"
#include "strategies/parts/fixed_lists.hpp"
#include "strategies/parts/prefetch.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Between processors, over home: two copies, one where one of them computes there. A copy counts
/// as many as it takes times as long, latencies aside, as one of the mean processor.
class Ways {
 public:
  explicit Ways(const Platform& platform) : limits_(platform.limits ? &*platform.limits : nullptr) {
    if (limits_ == nullptr) return;
    const std::size_t copying = limits_->on_buses();  // GPUs come first
    if (copying == 0) {
      mean_copies_ = 0;
      return;
    }
    bool alike = true;
    double slowness = 0;
    for (std::size_t k = 0; k < copying; ++k) {
      alike = alike && limits_->home_rate(k) == limits_->home_rate(0);
      slowness += 1 / limits_->home_rate(k);
    }
    mean_rate_ = alike ? limits_->home_rate(0) : static_cast<double>(copying) / slowness;
    // Each end of a pair copies unless it is at home.
    mean_copies_ = 2 * static_cast<double>(copying) / static_cast<double>(limits_->gpus.size());
  }

  /// [s]
  [[nodiscard]] double mean_s(std::uint64_t bytes) const {
    if (limits_ == nullptr || bytes == 0 || mean_copies_ == 0) return 0;
    return mean_copies_ * (limits_->latency_s + static_cast<double>(bytes) / mean_rate_);
  }
  [[nodiscard]] double share(std::size_t from, std::size_t to) const {
    if (from == to || mean_copies_ == 0) return 0;
    if (limits_ == nullptr) return 1;
    return (copies(from) + copies(to)) / mean_copies_;
  }

 private:
  [[nodiscard]] double copies(std::size_t k) const {
    return limits_->gpus[k].at_home ? 0 : mean_rate_ / limits_->home_rate(k);
  }

  const Limits* limits_;
  double mean_copies_ = 2;
  double mean_rate_ = 0;  // [B/s]
};

/// HEFT, offline: the whole graph is placed before the start, as if memory had no limit and all
/// data lay everywhere at first; each processor then runs its tasks in that order. What a task
/// writes and another processor reads travels home and from there: twice over the link; once where
/// one of the two computes at home, not at all where both do. With prefetch=push, which is not
/// theirs, what ready tasks of a list lack is fetched ahead, those behind one that is not ready
/// too.
///
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002.
class Heft final : public Strategy {
 public:
  explicit Heft(const Setting& setting)
      : graph_(setting.workload.graph()),
        memory_(setting.memory),
        lists_(graph_, placed(setting)),
        wishes_at_push_(wishes_at_push(setting.spec) && setting.workload.has_dependencies()) {
    if (setting.workload.has_dependencies()) return;
    for (Index task = 0; task < graph_.tasks(); ++task) lists_.make_ready(task);
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    return lists_.make_ready(static_cast<Index>(raw(task)));
  }
  void request(ProcessorId processor, Grant& grant) override {
    const auto task = lists_.take(processor);
    if (!task) return;
    grant.tasks.add(TaskId{*task});
    Heft::wish(processor, grant.loads);
  }
  void wish(ProcessorId processor, std::vector<DataId>& loads) override {
    if (!wishes_at_push_) return;
    constexpr std::size_t tasks_ahead = 128;
    constexpr std::size_t loads_ahead = 16;
    lists_.for_each_ready_while(processor, tasks_ahead, [&](Index task) {
      for (const Index data : graph_.needed(task)) {
        if (!memory_.resident(processor, DataId{data})) loads.push_back(DataId{data});
      }
      return loads.size() < loads_ahead;
    });
  }
  /// What was fetched ahead stays for the tasks it was fetched for.
  [[nodiscard]] std::uint32_t planned_uses(ProcessorId processor, DataId data) const override {
    return wishes_at_push_ ? lists_.uses(processor, static_cast<Index>(raw(data))) : 0;
  }

 private:
  static std::vector<std::vector<Index>> placed(const Setting& setting) {
    const TaskGraph& graph = setting.workload.graph();
    const Durations durations(setting.workload, setting.platform);
    const Ways ways(setting.platform);
    std::vector<std::vector<Index>> lists(setting.platform.processors());
    const auto placements = heft_schedule(
        graph.dependencies(), graph.tasks(), lists.size(),
        {.duration_s = [&](Index task, std::size_t k) { return durations.s(k, task); },
         .transfer_s = [&](Index before,
                           Index after) { return ways.mean_s(passed_bytes(graph, before, after)); },
         .share = [&](std::size_t from, std::size_t to) { return ways.share(from, to); }});
    std::vector<Index> order = graph.dependencies().order(graph.tasks());
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return placements[a].start_s < placements[b].start_s;
    });
    for (const Index task : order) lists[raw(placements[task].processor)].push_back(task);
    return lists;
  }

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  FixedLists lists_;
  bool wishes_at_push_;
};

const Register heft_entry{
    StrategyEntry{.name = "heft",
                  .source = "TPDS 2002, 4.2",
                  .summary = "placed before the start, where each ends first",
                  .options = {{"prefetch",
                               "push: what ready tasks of the list lack is asked for when one "
                               "becomes ready, and with every task granted; grant (default): what "
                               "granted tasks lack; where tasks wait for others"}},
                  .make = make<Heft>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true}};

}  // namespace
}  // namespace damocles
