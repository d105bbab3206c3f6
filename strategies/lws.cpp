#include "models/platforms/durations.hpp"
#include "strategies/parts/priority_lists.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Locality work stealing: a task goes to the processor that ended the last of those it waited
/// for, those that wait for none to one after the other in turn. Who has none left takes the first
/// of its next neighbour that has some (that it can run). Within a list the highest priority goes
/// first.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies" (lws).
class Lws final : public Strategy {
 public:
  explicit Lws(const Setting& setting)
      : processors_(static_cast<std::uint32_t>(setting.platform.processors())),
        lists_(setting.workload.graph(), processors_),
        durations_(setting.workload, setting.platform) {
    if (setting.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < setting.workload.tasks(); ++task) {
      Lws::on_ready(TaskId{task});
    }
  }

  void on_finished(ProcessorId processor, TaskId) override { freed_by_ = processor; }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    const ProcessorId to = freed_by_.value_or(ProcessorId{turn_++ % processors_});
    lists_.push(to, static_cast<Index>(raw(task)));
    ++listed_;
    return std::nullopt;  // whoever is idle may steal it
  }
  void request(ProcessorId processor, Grant& grant) override {
    for (std::uint32_t step = 0; step < processors_; ++step) {
      const ProcessorId from{(raw(processor) + step) % processors_};
      const auto task = lists_.take_first_if(
          from, [&](Index one) { return durations_.runs(raw(processor), one); });
      if (!task) continue;
      grant.tasks.add(TaskId{*task});
      --listed_;
      return;
    }
  }
  [[nodiscard]] bool has_nothing() const override { return listed_ == 0; }

 private:
  std::uint32_t processors_;
  PriorityLists lists_;
  Durations durations_;
  std::optional<ProcessorId> freed_by_;  // who ended a task last
  std::uint32_t turn_ = 0;
  std::uint64_t listed_ = 0;  // tasks, on all lists
};

const Register lws_entry{StrategyEntry{.name = "lws",
                                       .source = "StarPU handbook",
                                       .summary = "where the task before ran; idle ones steal",
                                       .make = make<Lws>,
                                       .follows_dependencies = true,
                                       .tells_kinds = true,
                                       .tasks_only = true}};

}  // namespace
}  // namespace damocles
