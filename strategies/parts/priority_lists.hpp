#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "models/ids.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// A list of tasks for each processor, the highest priority first, those of one priority in the
/// order in which they came; or all of them so. O(log tasks) a step.
class PriorityLists {
 public:
  using Index = TaskGraph::Index;
  using Entry = std::tuple<double, std::uint64_t, Index>;  ///< -priority, when it came, task
  enum class Order { by_priority, as_they_came };
  /// Of a processor, for each data item [B]: how many listed tasks access it.
  static constexpr double bytes_by_data = sizeof(std::uint32_t);

  /// The graph outlives it.
  PriorityLists(const TaskGraph& graph, std::size_t processors, Order order = Order::by_priority)
      : graph_(graph), order_(order), lists_(processors), uses_(processors) {
    for (auto& uses : uses_) uses.assign(graph.data(), 0);
  }

  /// @return where it stands
  Entry push(ProcessorId processor, Index task) {
    const double first = order_ == Order::by_priority ? -graph_.priority(task) : 0;
    const Entry entry{first, came_++, task};
    lists_[raw(processor)].insert(entry);
    for (const Index data : graph_.inputs(task)) ++uses_[raw(processor)][data];
    return entry;
  }
  [[nodiscard]] bool empty(ProcessorId processor) const { return lists_[raw(processor)].empty(); }
  [[nodiscard]] std::size_t size(ProcessorId processor) const {
    return lists_[raw(processor)].size();
  }
  /// @pre !empty(processor)
  [[nodiscard]] Index first(ProcessorId processor) const {
    return std::get<Index>(*lists_[raw(processor)].begin());
  }
  /// Listed tasks that access the data.
  [[nodiscard]] std::uint32_t uses(ProcessorId processor, Index data) const {
    return uses_[raw(processor)][data];
  }

  /// Takes the first task. @pre !empty(processor)
  Index take_first(ProcessorId processor) {
    return take_least(processor, 1, [](Index) { return 0; });
  }
  /// Takes the first task with may(task), if there is one. O(log tasks) where that is the first.
  template <typename May>
  std::optional<Index> take_first_if(ProcessorId processor, May&& may) {
    auto& list = lists_[raw(processor)];
    const auto at = std::find_if(list.begin(), list.end(),
                                 [&](const Entry& entry) { return may(std::get<Index>(entry)); });
    return at == list.end() ? std::nullopt : std::optional(take(processor, at));
  }
  /// Takes, of the tasks with may(task), the one that came last of those of the highest priority,
  /// if there is one. O(log tasks) where that came last of the highest priority of all.
  template <typename May>
  std::optional<Index> take_last_of_highest_if(ProcessorId processor, May&& may) {
    auto& list = lists_[raw(processor)];
    for (auto from = list.begin(); from != list.end();) {
      constexpr auto latest = std::numeric_limits<std::uint64_t>::max();
      const auto lower = list.upper_bound({std::get<double>(*from), latest, 0});
      for (auto at = lower; at != from;) {
        if (may(std::get<Index>(*--at))) return take(processor, at);
      }
      from = lower;
    }
    return std::nullopt;
  }
  /// Takes, of the first `view` of those of the highest priority, the first of the least
  /// cost(task); one of cost 0 ends the search. @pre !empty(processor)
  template <typename Cost>
  Index take_least(ProcessorId processor, std::size_t view, Cost&& cost) {
    auto& list = lists_[raw(processor)];
    auto best = list.begin();
    auto least = cost(std::get<Index>(*best));
    for (auto at = std::next(best); least > 0 && --view > 0 && at != list.end(); ++at) {
      if (std::get<double>(*at) != std::get<double>(*best)) break;
      const auto its_cost = cost(std::get<Index>(*at));
      if (!(its_cost < least)) continue;
      best = at;
      least = its_cost;
    }
    return take(processor, best);
  }

  /// Calls visit(entry) from the first behind `last` on, from the first of all where there is none,
  /// while it returns true.
  template <typename Visit>
  void for_each_behind_while(ProcessorId processor, const std::optional<Entry>& last,
                             Visit&& visit) const {
    const auto& list = lists_[raw(processor)];
    auto at = last ? list.upper_bound(*last) : list.begin();
    while (at != list.end() && visit(*at)) ++at;
  }
  /// The one before an entry of the list or of a task just taken, if there is one.
  [[nodiscard]] std::optional<Entry> before(ProcessorId processor, const Entry& entry) const {
    const auto& list = lists_[raw(processor)];
    const auto at = list.lower_bound(entry);
    return at == list.begin() ? std::nullopt : std::optional(*std::prev(at));
  }

 private:
  Index take(ProcessorId processor, std::set<Entry>::iterator at) {
    const Index task = std::get<Index>(*at);
    lists_[raw(processor)].erase(at);
    for (const Index data : graph_.inputs(task)) --uses_[raw(processor)][data];
    return task;
  }

  const TaskGraph& graph_;
  Order order_;
  std::vector<std::set<Entry>> lists_;
  std::vector<std::vector<std::uint32_t>> uses_;  // by processor and data
  std::uint64_t came_ = 0;
};

}  // namespace damocles
