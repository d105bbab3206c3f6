#include <algorithm>

#include "models/levels.hpp"
#include "models/platforms/durations.hpp"
#include "strategies/orders/heft_schedule.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Between processors, over home: two copies, one where one of them computes there.
class Ways {
 public:
  explicit Ways(const Platform& platform) : limits_(platform.limits ? &*platform.limits : nullptr) {
    if (limits_ == nullptr || limits_->gpus.size() == 1 || !limits_->any_at_home()) return;
    const auto all = static_cast<double>(limits_->gpus.size());
    const auto copying = static_cast<double>(limits_->on_buses());
    mean_copies_ = 2 * copying / all;  // each end of a pair copies unless it is at home
  }

  /// [s]
  [[nodiscard]] double mean_s(std::uint64_t bytes) const {
    if (limits_ == nullptr || bytes == 0 || mean_copies_ == 0) return 0;
    return mean_copies_ * limits_->copy_s(0, static_cast<double>(bytes));  // GPUs come first
  }
  [[nodiscard]] double share(std::size_t from, std::size_t to) const {
    if (from == to || mean_copies_ == 0) return 0;
    if (limits_ == nullptr) return 1;
    return (copies(from) + copies(to)) / mean_copies_;
  }

 private:
  [[nodiscard]] double copies(std::size_t k) const { return limits_->gpus[k].at_home ? 0 : 1; }

  const Limits* limits_;
  double mean_copies_ = 2;
};

/// HEFT, offline: the whole graph is placed before the start, as if memory had no limit and all
/// data lay everywhere at first; each processor then runs its tasks in that order. What a task
/// writes and another processor reads travels home and from there: twice over the link; once where
/// one of the two computes at home, not at all where both do.
///
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002.
class Heft final : public Strategy {
 public:
  explicit Heft(const Setting& setting)
      : lists_(setting.platform.processors()), next_(lists_.size(), 0) {
    const TaskGraph& graph = setting.workload.graph();
    const Durations durations(setting.workload, setting.platform);
    const Ways ways(setting.platform);
    const auto placements = heft_schedule(
        graph.dependencies(), graph.tasks(), lists_.size(),
        {.duration_s = [&](Index task, std::size_t k) { return durations.s(k, task); },
         .transfer_s = [&](Index before,
                           Index after) { return ways.mean_s(passed_bytes(graph, before, after)); },
         .share = [&](std::size_t from, std::size_t to) { return ways.share(from, to); }});
    std::vector<Index> order = graph.dependencies().order(graph.tasks());
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return placements[a].start_s < placements[b].start_s;
    });
    for (const auto& placement : placements) on_.push_back(placement.processor);
    for (const Index task : order) lists_[raw(on_[task])].push_back(task);
    ready_.assign(graph.tasks(), !setting.workload.has_dependencies());
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    ready_[raw(task)] = true;
    return on_[raw(task)];
  }
  void request(ProcessorId processor, Grant& grant) override {
    auto& next = next_[raw(processor)];
    const auto& list = lists_[raw(processor)];
    if (next < list.size() && ready_[list[next]]) grant.tasks.add(TaskId{list[next++]});
  }

 private:
  std::vector<ProcessorId> on_;  // by task
  std::vector<std::vector<Index>> lists_;
  std::vector<std::size_t> next_;  // in each list
  std::vector<bool> ready_;
};

const Register heft_entry{StrategyEntry{.name = "heft",
                                        .source = "TPDS 2002, 4.2",
                                        .summary = "placed before the start, where each ends first",
                                        .make = make<Heft>,
                                        .follows_dependencies = true,
                                        .tells_kinds = true,
                                        .tasks_only = true}};

}  // namespace
}  // namespace damocles
