#include <algorithm>
#include <map>
#include <utility>

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
      : ready_(setting.platform.processors()),
        next_(ready_.size(), 0),
        commutes_(setting.workload.graph().commutes()) {
    const TaskGraph& graph = setting.workload.graph();
    const Durations durations(setting.workload, setting.platform);
    const Ways ways(setting.platform);
    const auto placements = heft_schedule(
        graph.dependencies(), graph.tasks(), ready_.size(),
        {.duration_s = [&](Index task, std::size_t k) { return durations.s(k, task); },
         .transfer_s = [&](Index before,
                           Index after) { return ways.mean_s(passed_bytes(graph, before, after)); },
         .share = [&](std::size_t from, std::size_t to) { return ways.share(from, to); }});
    std::vector<Index> order = graph.dependencies().order(graph.tasks());
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return placements[a].start_s < placements[b].start_s;
    });
    std::vector<std::size_t> listed(ready_.size(), 0);
    places_.resize(graph.tasks());
    for (const Index task : order) {
      const ProcessorId on = placements[task].processor;
      places_[task] = {on, listed[raw(on)]++};
      if (!setting.workload.has_dependencies()) on_ready(TaskId{task});
    }
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    const auto& [on, at] = places_[raw(task)];
    ready_[raw(on)].emplace(at, task);
    return on;
  }
  /// Tasks that commute on a data may take it in another order than was planned: who has it goes
  /// before those that wait for it.
  void request(ProcessorId processor, Grant& grant) override {
    auto& ready = ready_[raw(processor)];
    auto& next = next_[raw(processor)];
    if (ready.empty() || (!commutes_ && ready.begin()->first != next)) return;
    grant.tasks.add(ready.begin()->second);
    ready.erase(ready.begin());
    ++next;
  }

 private:
  std::vector<std::pair<ProcessorId, std::size_t>> places_;  // by task: where, in which place
  std::vector<std::map<std::size_t, TaskId>> ready_;         // on each processor, by place
  std::vector<std::size_t> next_;                            // place on each
  bool commutes_;
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
