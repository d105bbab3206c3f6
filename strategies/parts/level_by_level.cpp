#include "strategies/parts/level_by_level.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "models/levels.hpp"

namespace damocles {
namespace {

/// Only where thousands are ready at once does that leave some out.
constexpr std::size_t most_in_view = 128;

class InListedOrder final : public PerProcessorLists {
 public:
  InListedOrder(const StrategyContext& context, const std::vector<std::vector<Index>>& lists,
                const ListRules& rules)
      : PerProcessorLists(context, lists, rules) {}
};

}  // namespace

std::unique_ptr<Strategy> following(const StrategyContext& context, const ListsOf& lists_of,
                                    const ListRules& rules) {
  const TaskGraph& graph = context.workload.graph();
  if (!context.workload.has_dependencies()) {
    return std::make_unique<InListedOrder>(context, lists_of(graph), rules);
  }
  return std::make_unique<LevelByLevel>(
      context, level_lists(graph, context.platform.processors(), lists_of), rules);
}

LevelByLevel::LevelByLevel(const StrategyContext& context,
                           const std::vector<std::vector<Index>>& lists, const ListRules& rules)
    : graph_(context.workload.graph()),
      memory_(context.memory),
      rules_(rules),
      place_of_(graph_.tasks()),
      owner_(graph_.tasks()),
      places_(graph_.data()),
      open_(graph_.data(), 0),
      ready_(lists.size()),
      minus_ready_(1),
      left_(lists.size(), 0),
      uses_(lists.size(), std::vector<std::uint32_t>(graph_.data(), 0)),
      held_(lists.size(), HeldByUse(graph_.data())) {
  for (std::size_t p = 0; p < lists.size(); ++p) minus_ready_.push_back(0);
  number(lists);
}

/// Places: by level, then by processor, then as listed.
void LevelByLevel::number(const std::vector<std::vector<Index>>& lists) {
  const auto depth = depths(graph_);
  for (const auto& list : lists) task_at_.insert(task_at_.end(), list.begin(), list.end());
  std::stable_sort(task_at_.begin(), task_at_.end(),
                   [&](Index a, Index b) { return depth[a] < depth[b]; });
  for (std::uint32_t place = 0; place < task_at_.size(); ++place) {
    place_of_[task_at_[place]] = place;
    for (const Index data : graph_.inputs(task_at_[place])) places_[data].push_back(place);
  }
  for (std::uint32_t p = 0; p < lists.size(); ++p) {
    left_[p] = lists[p].size();
    for (const Index task : lists[p]) owner_[place_of_[task]] = p;
  }
}

std::optional<ProcessorId> LevelByLevel::on_ready(TaskId task) {
  const std::uint32_t place = place_of_[raw(task)];
  enter(owner_[place], place);
  return std::nullopt;  // others may take some
}

void LevelByLevel::request(ProcessorId processor, Grant& grant) {
  if (ready_[raw(processor)].empty() && !(rules_.steal && steal(processor))) return;
  const std::uint32_t place = next_of(processor);
  leave(raw(processor), place);
  --left_[raw(processor)];
  owner_[place] = granted;
  lose_use(raw(processor), place);
  grant.tasks.add(TaskId{task_at_[place]});
  if (rules_.prefetch) hint_next(processor, grant.loads);
}

std::uint64_t LevelByLevel::next_use(ProcessorId processor, DataId data) {
  const std::uint32_t place = next_place(raw(processor), static_cast<Index>(raw(data)));
  return place == HeldByUse::unread ? never : place;
}

/// Of the first task of its list that accesses the data and was not granted.
std::uint32_t LevelByLevel::next_place(std::uint32_t processor, Index data) {
  const auto& places = places_[data];
  std::uint32_t& open = open_[data];
  while (open < places.size() && owner_[places[open]] == granted) ++open;
  const auto at = std::find_if(places.begin() + open, places.end(),
                               [&](std::uint32_t place) { return owner_[place] == processor; });
  return at == places.end() ? HeldByUse::unread : *at;
}

/// The task there is no longer of its list.
void LevelByLevel::lose_use(std::uint32_t processor, std::uint32_t place) {
  HeldByUse& held = held_[processor];
  for (const Index data : graph_.inputs(task_at_[place])) {
    if (!held.contains(data) || held.place(data) != place) continue;
    const auto& places = places_[data];
    const auto at =
        std::find_if(std::upper_bound(places.begin(), places.end(), place), places.end(),
                     [&](std::uint32_t later) { return owner_[later] == processor; });
    held.put(data, at == places.end() ? HeldByUse::unread : *at);
  }
}

/// The task there is of its list from now on.
void LevelByLevel::gain_use(std::uint32_t processor, std::uint32_t place) {
  HeldByUse& held = held_[processor];
  for (const Index data : graph_.inputs(task_at_[place])) {
    if (held.contains(data) && place < held.place(data)) held.put(data, place);
  }
}

std::optional<DataId> LevelByLevel::farthest_use(ProcessorId processor,
                                                 const std::function<bool(DataId)>& may_go) {
  const auto first = held_[raw(processor)].first([&](Index data) { return may_go(DataId{data}); });
  return first ? std::optional(DataId{*first}) : std::nullopt;
}

void LevelByLevel::on_loaded(ProcessorId processor, DataId data) {
  const auto index = static_cast<Index>(raw(data));
  held_[raw(processor)].touch(index);
  held_[raw(processor)].put(index, next_place(raw(processor), index));
}

void LevelByLevel::on_evicted(ProcessorId processor, DataId data) {
  held_[raw(processor)].drop(static_cast<Index>(raw(data)));
}

void LevelByLevel::on_started(ProcessorId processor, TaskId task) {
  for (const Index data : graph_.inputs(static_cast<Index>(raw(task)))) {
    held_[raw(processor)].touch(data);
  }
}

void LevelByLevel::enter(std::uint32_t processor, std::uint32_t place) {
  ready_[processor].insert(place);
  count(processor);
  owner_[place] = processor;
  ++ready_tasks_;
  for (const Index data : graph_.inputs(task_at_[place])) ++uses_[processor][data];
}

void LevelByLevel::leave(std::uint32_t processor, std::uint32_t place) {
  ready_[processor].erase(place);
  count(processor);
  --ready_tasks_;
  for (const Index data : graph_.inputs(task_at_[place])) --uses_[processor][data];
}

/// @return whether the thief has a ready task now
bool LevelByLevel::steal(ProcessorId thief) {
  if (left_[raw(thief)] > 0) return false;
  const auto victim = static_cast<std::uint32_t>(minus_ready_.best());
  const auto& most = ready_[victim];
  for (std::size_t left = most.size() / 2; left > 0; --left) {
    const std::uint32_t place = *std::prev(most.end());
    leave(victim, place);
    --left_[victim];
    ++left_[raw(thief)];
    enter(raw(thief), place);
    lose_use(victim, place);
    gain_use(raw(thief), place);
  }
  return !ready_[raw(thief)].empty();
}

/// @pre some task of the processor is ready
std::uint32_t LevelByLevel::next_of(ProcessorId processor) const {
  const auto& ready = ready_[raw(processor)];
  std::uint32_t best = *ready.begin();
  if (rules_.ready == 1) return best;
  const auto key = [&](std::uint32_t place) {
    const Index task = task_at_[place];
    return std::tuple(lack(processor, task), -graph_.priority(task));
  };
  auto least = key(best);
  std::size_t view = std::min(rules_.ready, most_in_view);
  for (auto at = ready.begin(); at != ready.end() && view > 0; ++at, --view) {
    const auto its = key(*at);
    if (!(its < least)) continue;
    best = *at;
    least = its;
  }
  return best;
}

std::uint64_t LevelByLevel::lack(ProcessorId processor, Index task) const {
  std::uint64_t bytes = 0;
  for (const Index data : graph_.needed(task)) {
    if (!memory_.resident(processor, DataId{data})) bytes += graph_.bytes(data);
  }
  return bytes;
}

/// What the next ready tasks in view lack, in their order.
void LevelByLevel::hint_next(ProcessorId processor, std::vector<DataId>& loads) const {
  constexpr std::size_t loads_ahead = 16;
  std::size_t view = std::min(rules_.ready, most_in_view);
  for (const std::uint32_t place : ready_[raw(processor)]) {
    if (view-- == 0 || loads.size() >= loads_ahead) return;
    for (const Index data : graph_.needed(task_at_[place])) {
      if (!memory_.resident(processor, DataId{data})) loads.push_back(DataId{data});
    }
  }
}

}  // namespace damocles
