#include <algorithm>

#include "models/levels.hpp"
#include "models/platforms/durations.hpp"
#include "strategies/orders/heft_schedule.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// HEFT, offline: the whole graph is placed before the start, as if memory had no limit and all
/// data lay everywhere at first; each processor then runs its tasks in that order. What a task
/// writes and another processor reads travels home and from there: twice over the link.
///
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002.
class Heft final : public Strategy {
 public:
  explicit Heft(const Setting& setting)
      : lists_(setting.platform.processors()), next_(lists_.size(), 0) {
    const TaskGraph& graph = setting.workload.graph();
    const Durations durations(setting.workload, setting.platform);
    const auto placements = heft_schedule(
        graph.dependencies(), graph.tasks(), lists_.size(),
        {.duration_s = [&](Index task, std::size_t k) { return durations.s(k, task); },
         .transfer_s =
             [&](Index before, Index after) {
               return transfer_s(setting.platform, passed_bytes(graph, before, after));
             }});
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
  static double transfer_s(const Platform& platform, std::uint64_t bytes) {
    if (!platform.limits || bytes == 0) return 0;
    return 2 * platform.limits->copy_s(0, static_cast<double>(bytes));
  }

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
                                        .tasks_only = true}};

}  // namespace
}  // namespace damocles
