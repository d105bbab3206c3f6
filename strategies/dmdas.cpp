#include "strategies/parts/completion_time.hpp"
#include "strategies/parts/prefetch.hpp"
#include "strategies/parts/priority_lists.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// DMDA with its lists sorted by priority; among the first 128 tasks of one priority the one that
/// lacks the fewest bytes. Inputs of the next tasks of the list are fetched whenever the link has
/// time; `prefetch` says when they are asked for.
///
/// Source: StarPU handbook, "Performance Model-Based Task Scheduling Policies" (dmdas).
class Dmdas final : public Strategy {
 public:
  explicit Dmdas(const Setting& setting)
      : graph_(setting.workload.graph()),
        memory_(setting.memory),
        times_(setting),
        lists_(graph_, setting.platform.processors()),
        wishes_at_push_(wishes_at_push(setting.spec)) {
    if (setting.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < graph_.tasks(); ++task) Dmdas::on_ready(TaskId{task});
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    const auto ready = static_cast<Index>(raw(task));
    const ProcessorId to = times_.allot(ready);
    lists_.push(to, ready);
    return to;
  }
  void on_finished(ProcessorId processor, TaskId task) override {
    times_.finished(processor, static_cast<Index>(raw(task)));
  }
  void request(ProcessorId processor, Grant& grant) override {
    if (lists_.empty(processor)) return;
    grant.tasks.add(TaskId{
        lists_.take_least(processor, view, [&](Index task) { return lack(processor, task); })});
    wish_for_next(processor, grant.loads);
  }
  void wish(ProcessorId processor, std::vector<DataId>& loads) override {
    if (wishes_at_push_) wish_for_next(processor, loads);
  }
  [[nodiscard]] bool patient() const override { return true; }
  [[nodiscard]] std::uint32_t planned_uses(ProcessorId processor, DataId data) const override {
    return lists_.uses(processor, static_cast<Index>(raw(data)));
  }

 private:
  /// Tasks looked at in a grant. Only where thousands are ready at once does that leave some out.
  static constexpr std::size_t view = 128;

  /// What the next tasks of the list lack.
  void wish_for_next(ProcessorId processor, std::vector<DataId>& loads) const {
    constexpr std::size_t loads_ahead = 16;
    std::size_t tasks_ahead = view;
    lists_.for_each_while(processor, [&](Index task) {
      for (const Index data : graph_.needed(task)) {
        if (!memory_.resident(processor, DataId{data})) loads.push_back(DataId{data});
      }
      return loads.size() < loads_ahead && --tasks_ahead > 0;
    });
  }
  [[nodiscard]] std::uint64_t lack(ProcessorId processor, Index task) const {
    std::uint64_t bytes = 0;
    for (const Index data : graph_.needed(task)) {
      if (!memory_.resident(processor, DataId{data})) bytes += graph_.bytes(data);
    }
    return bytes;
  }

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  CompletionTimes times_;
  PriorityLists lists_;
  bool wishes_at_push_;
};

const Register dmdas_entry{StrategyEntry{.name = "dmdas",
                                         .source = "StarPU handbook",
                                         .summary = "dmda, the highest priority first",
                                         .options = {prefetch_option()},
                                         .make = make<Dmdas>,
                                         .follows_dependencies = true,
                                         .tells_kinds = true,
                                         .tasks_only = true}};

}  // namespace
}  // namespace damocles
