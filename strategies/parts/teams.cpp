#include "strategies/parts/teams.hpp"

#include <algorithm>
#include <limits>

namespace damocles {
namespace {

struct Sizes {
  std::size_t smallest = 2;
  std::size_t largest = std::numeric_limits<std::size_t>::max();
};

/// Those cores and their halves.
void add_halves(std::span<const std::size_t> cores, const Sizes& sizes, std::vector<Team>& teams) {
  if (cores.size() < 2) return;
  if (cores.size() >= sizes.smallest && cores.size() <= sizes.largest) {
    Team& team = teams.emplace_back();
    for (const std::size_t core : cores) {
      team.push_back(ProcessorId{static_cast<std::uint32_t>(core)});
    }
  }
  const std::size_t half = (cores.size() + 1) / 2;
  add_halves(cores.first(half), sizes, teams);
  add_halves(cores.subspan(half), sizes, teams);
}

Sizes sizes_of(const Spec& spec) {
  const Sizes all;
  return {.smallest = whole_of(spec, "smallest", all.smallest),
          .largest = whole_of(spec, "largest", all.largest)};
}

}  // namespace

std::string team_misfit(const Spec& spec, const Workload& /*workload*/) {
  const Sizes sizes = sizes_of(spec);
  return sizes.smallest > sizes.largest ? "smallest must be at most largest" : "";
}

std::vector<Team> teams_of_cores(const TeamLaws& laws, const Spec& spec) {
  const Sizes sizes = sizes_of(spec);
  std::vector<Team> teams;
  for (const auto& group : laws.groups()) add_halves(group, sizes, teams);
  std::stable_sort(teams.begin(), teams.end(),
                   [](const Team& a, const Team& b) { return a.size() > b.size(); });
  return teams;
}

std::vector<StrategyOption> with_team_options(std::vector<StrategyOption> options) {
  const OptionValues cores = OptionValues::whole(2, 1'000'000);
  options.push_back({"smallest", "cores of the smallest teams (default 2)", cores});
  options.push_back({"largest", "cores of the largest teams (default: all that are alike)", cores});
  return options;
}

void TeamLines::add(Index task, Team members) {
  for (const ProcessorId member : members) cores_[raw(member)].line.push_back(task);
  teams_.emplace(task, std::move(members));
}

std::optional<TeamLines::Index> TeamLines::next(ProcessorId core) {
  Core& asks = cores_[raw(core)];
  if (asks.is == Core::Is::held) return std::nullopt;
  asks.is = Core::Is::free;
  if (asks.line.empty()) return std::nullopt;
  const Index task = asks.line.front();
  const Team& team = teams_.at(task);
  const bool together = std::all_of(team.begin(), team.end(), [&](ProcessorId member) {
    const Core& one = cores_[raw(member)];
    return one.is == Core::Is::free && one.line.front() == task;
  });
  if (!together) return std::nullopt;
  if (core != team.front()) {
    wake_ = true;  // the primary asked before the last of them did
    return std::nullopt;
  }
  for (const ProcessorId member : team) {
    cores_[raw(member)].line.pop_front();
    cores_[raw(member)].is = Core::Is::held;
  }
  asks.is = Core::Is::busy;
  return task;
}

void TeamLines::finished(Index task) {
  const auto found = teams_.find(task);
  if (found == teams_.end()) return;
  for (const ProcessorId helper : helpers(task)) {
    cores_[raw(helper)].is = Core::Is::free;
    wake_ = true;
  }
  teams_.erase(found);
}

std::span<const ProcessorId> TeamLines::helpers(Index task) const {
  const auto found = teams_.find(task);
  if (found == teams_.end()) return {};
  return std::span(found->second).subspan(1);
}

}  // namespace damocles
