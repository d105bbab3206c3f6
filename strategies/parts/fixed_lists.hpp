#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/ids.hpp"
#include "models/task_graph.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

/// A list of tasks for each processor, in an order that is fixed before the start: the next task of
/// a list is taken when it is ready, and none before it. But where tasks commute on a data item,
/// the next that is ready: who has its turn goes before those that wait for theirs.
class FixedLists {
 public:
  using Index = TaskGraph::Index;

  /// @param lists  of each processor, together each task once; the graph outlives it
  FixedLists(const TaskGraph& graph, const std::vector<std::vector<Index>>& lists)
      : graph_(graph),
        places_(graph.tasks(), Place(ProcessorId{}, unlisted)),
        ready_(lists.size()),
        taken_(lists.size(), 0),
        uses_(lists.size(), std::vector<std::uint32_t>(graph.data(), 0)) {
    for (std::uint32_t p = 0; p < lists.size(); ++p) {
      for (std::size_t at = 0; at < lists[p].size(); ++at) {
        places_[lists[p][at]] = {ProcessorId{p}, at};
      }
    }
  }

  /// The task may be taken from now on. @return the processor in whose list it is
  ProcessorId make_ready(Index task) {
    const auto& [on, at] = places_[task];
    ready_[raw(on)].emplace(at, task);
    for (const Index data : graph_.inputs(task)) ++uses_[raw(on)][data];
    return on;
  }
  /// Takes the next task of the list, if it is ready.
  std::optional<Index> take(ProcessorId processor) {
    auto& ready = ready_[raw(processor)];
    std::size_t& taken = taken_[raw(processor)];
    if (ready.empty() || (!graph_.commutes() && ready.begin()->first != taken)) return std::nullopt;
    const Index task = ready.begin()->second;
    ready.erase(ready.begin());
    ++taken;
    for (const Index data : graph_.inputs(task)) --uses_[raw(processor)][data];
    return task;
  }
  /// After how many tasks of the list its next one that accesses the data comes, ready or not;
  /// Strategy::never where none does.
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, Index data) {
    if (users_.empty()) list_users();
    const std::pair from(processor, taken_[raw(processor)]);
    const auto& users = users_[data];
    const auto next = std::lower_bound(users.begin(), users.end(), from);
    const bool none = next == users.end() || next->first != processor;
    return none ? Strategy::never : next->second - from.second;
  }
  /// Ready tasks of the list that access the data.
  [[nodiscard]] std::uint32_t uses(ProcessorId processor, Index data) const {
    return uses_[raw(processor)][data];
  }
  /// Calls visit(task) for each of the next `view` tasks of the list that is ready, in its order,
  /// while it returns true.
  template <typename Visit>
  void for_each_ready_while(ProcessorId processor, std::size_t view, Visit&& visit) const {
    const std::size_t end = taken_[raw(processor)] + view;
    for (const auto& [at, task] : ready_[raw(processor)]) {
      if (at >= end || !visit(task)) return;
    }
  }

 private:
  using Place = std::pair<ProcessorId, std::size_t>;  // whose list, and where in it
  static constexpr std::size_t unlisted = std::numeric_limits<std::size_t>::max();

  void list_users() {
    users_.resize(graph_.data());
    for (Index task = 0; task < places_.size(); ++task) {
      if (places_[task].second == unlisted) continue;
      for (const Index data : graph_.inputs(task)) users_[data].push_back(places_[task]);
    }
    for (auto& users : users_) std::sort(users.begin(), users.end());
  }

  const TaskGraph& graph_;
  std::vector<Place> places_;                        // by task
  std::vector<std::vector<Place>> users_;            // by data; made when asked for
  std::vector<std::map<std::size_t, Index>> ready_;  // by processor and place
  std::vector<std::size_t> taken_;                   // from each list
  std::vector<std::vector<std::uint32_t>> uses_;     // by processor and data
};

}  // namespace damocles
