#include <algorithm>
#include <optional>

#include "strategies/parts/kind_queues.hpp"
#include "strategies/parts/teams.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// One queue, as StarPU's eager; a core that takes a task from it which several can compute
/// together has the largest team of which it is the primary compute it. Their cores join one after
/// the other, when each has ended what it computes and joined the teams that called before. Cores
/// that are primary of none leave such a task where it is, and take nothing behind it either.
///
/// Source: StarPU handbook, "Task Scheduling Policies" (peager), and its code ("very eager and
/// uncoordinated").
class Peager final : public Strategy {
 public:
  using Index = TaskGraph::Index;

  explicit Peager(const StrategyContext& context)
      : durations_(context.workload, context.platform),
        queue_(context.workload.graph()),
        teams_(teams_of_cores(durations_.teams(), context.spec)),
        lines_(context.platform.processors()) {
    for (std::size_t p = 0; p < context.platform.processors(); ++p) {
      in_host_memory_.push_back(context.platform.machine &&
                                context.platform.machine->processors[p].in_host_memory);
    }
    if (context.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < context.workload.tasks(); ++task) {
      Peager::on_ready(TaskId{task});
    }
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    queue_.push(static_cast<Index>(raw(task)));
    return std::nullopt;
  }
  void request(ProcessorId processor, Grant& grant) override {
    auto task = lines_.next(processor);
    if (!task && lines_.idle(processor)) task = take(processor);
    if (task) grant.tasks.add(TaskId{*task});
  }
  void on_finished(ProcessorId, TaskId task) override {
    lines_.finished(static_cast<Index>(raw(task)));
  }
  [[nodiscard]] std::span<const ProcessorId> helpers(ProcessorId, TaskId task) const override {
    return lines_.helpers(static_cast<Index>(raw(task)));
  }
  [[nodiscard]] bool consume_wakeup() override { return lines_.consume_wakeup(); }

 private:
  /// From the queue: the task that the processor is to be granted now.
  std::optional<Index> take(ProcessorId processor) {
    const bool core = in_host_memory_[raw(processor)];
    const bool primary = std::any_of(teams_.begin(), teams_.end(),
                                     [&](const Team& team) { return team.front() == processor; });
    const auto task = queue_.take_first_if(
        [&](Index first) { return durations_.runs(raw(processor), first); },
        [&](Index first) { return core && !primary && team_for(first) != nullptr; });
    if (!task) return std::nullopt;
    const Team* const team = core ? team_for(*task, processor) : nullptr;
    if (team == nullptr) {
      lines_.granted_alone(processor);
      return task;
    }
    lines_.add(*task, *team);
    return lines_.next(processor);
  }
  /// The largest team that can compute the task, of those with this primary if one is named.
  [[nodiscard]] const Team* team_for(Index task,
                                     std::optional<ProcessorId> primary = std::nullopt) const {
    const auto found = std::find_if(teams_.begin(), teams_.end(), [&](const Team& team) {
      const std::size_t first = raw(team.front());
      return (!primary || *primary == team.front()) && durations_.runs(first, task) &&
             durations_.teams().most(first, task) >= team.size();
    });
    return found == teams_.end() ? nullptr : &*found;
  }

  Durations durations_;
  KindQueues<FirstCome> queue_;
  std::vector<Team> teams_;
  TeamLines lines_;
  std::vector<bool> in_host_memory_;
};

const Register peager_entry{StrategyEntry{
    .name = "peager",
    .source = "StarPU handbook",
    .summary = "Share one queue; the largest team of cores computes each parallel task",
    .options = with_team_options(),
    .make = make<Peager>,
    .misfit = team_misfit,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .depth = 2}};

}  // namespace
}  // namespace damocles
