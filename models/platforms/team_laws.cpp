#include "models/platforms/team_laws.hpp"

#include <algorithm>
#include <utility>

#include "models/platforms/kernel_kinds.hpp"

namespace damocles {
namespace {

bool may_team_up(const ProcessorModel& one) { return one.in_host_memory && !one.speedups.empty(); }

/// @pre `a` may team up
bool team_up(const ProcessorModel& a, const ProcessorModel& b) {
  return b.in_host_memory && a.speedups == b.speedups && a.flops_per_s == b.flops_per_s &&
         a.kernel_times == b.kernel_times;
}

}  // namespace

TeamLaws::TeamLaws(const Workload& workload, const MachineModel& machine)
    : graph_(&workload.graph()) {
  const auto& processors = machine.processors;
  group_of_.assign(processors.size(), none);
  for (std::size_t p = 0; p < processors.size(); ++p) {
    const auto of_kinds = laws_of_kinds(workload, processors[p].speedups);
    if (group_of_[p] != none || !may_team_up(processors[p])) continue;
    std::vector<std::size_t> group;
    for (std::size_t other = p; other < processors.size(); ++other) {
      if (team_up(processors[p], processors[other])) group.push_back(other);
    }
    if (group.size() < 2) continue;
    for (const std::size_t one : group) group_of_[one] = groups_.size();
    groups_.push_back(std::move(group));
    laws_.push_back(processors[p].speedups);
    of_.push_back(of_kinds);
  }
}

/// Which of them, if any, is that of each kind: the one that names it, or else that of all.
std::vector<std::size_t> TeamLaws::laws_of_kinds(const Workload& workload,
                                                 const std::vector<Speedup>& laws) {
  const auto of_all = std::find_if(laws.begin(), laws.end(),
                                   [](const Speedup& speedup) { return speedup.kind.empty(); });
  const std::size_t kinds = workload.graph().parts().kind_names.size();
  std::vector<std::size_t> result(
      std::max<std::size_t>(1, kinds),
      of_all == laws.end() ? none : static_cast<std::size_t>(of_all - laws.begin()));
  for (std::size_t law = 0; law < laws.size(); ++law) {
    if (laws[law].kind.empty()) continue;
    result[kernel_kind(workload, laws[law].kind, "a speed-up")] = law;
  }
  return result;
}

const Speedup* TeamLaws::law(std::size_t processor, Index task) const {
  if (!any() || group_of_[processor] == none) return nullptr;
  const std::size_t group = group_of_[processor];
  const auto& kinds = graph_->parts().task_kinds;
  const std::size_t at = of_[group][kinds.empty() ? 0 : kinds[task]];
  return at == none ? nullptr : &laws_[group][at];
}

std::size_t TeamLaws::most(std::size_t processor, Index task) const {
  const Speedup* const its = law(processor, task);
  return its == nullptr ? 1 : std::min(its->most_cores(), groups_[group_of_[processor]].size());
}

double TeamLaws::speedup(std::size_t processor, Index task, std::size_t cores) const {
  const Speedup* const its = cores == 1 ? nullptr : law(processor, task);
  return its == nullptr ? 1 : (*its)(cores);
}

double TeamLaws::most_speedup() const {
  double most = 1;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (const Speedup& speedup : laws_[group]) {
      most = std::max(most, speedup(std::min(speedup.most_cores(), groups_[group].size())));
    }
  }
  return most;
}

}  // namespace damocles
