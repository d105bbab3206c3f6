#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "models/ids.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// A list of tasks for each processor, the highest priority first, those of one priority in the
/// order in which they came; or all of them so. A task is found in O(log tasks), and taken in as
/// much as it stands behind the first, or before the last, of its priority.
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
    const Entry entry = entry_of(task, came_++);
    lists_[raw(processor)].add(std::get<double>(entry), {std::get<std::uint64_t>(entry), task});
    for (const Index data : graph_.inputs(task)) ++uses_[raw(processor)][data];
    return entry;
  }
  /// Where a task stands that came so.
  [[nodiscard]] Entry entry_of(Index task, std::uint64_t came) const {
    return {order_ == Order::by_priority ? -graph_.priority(task) : 0, came, task};
  }
  [[nodiscard]] bool empty(ProcessorId processor) const { return size(processor) == 0; }
  [[nodiscard]] std::size_t size(ProcessorId processor) const {
    return lists_[raw(processor)].size;
  }
  /// @pre !empty(processor)
  [[nodiscard]] Index first(ProcessorId processor) const {
    return lists_[raw(processor)].levels.begin()->second.begin()->task;
  }
  /// Listed tasks that access the data.
  [[nodiscard]] std::uint32_t uses(ProcessorId processor, Index data) const {
    return uses_[raw(processor)][data];
  }

  /// Takes the first task. @pre !empty(processor)
  Index take_first(ProcessorId processor) {
    const auto level = lists_[raw(processor)].levels.begin();
    return take(processor, level, level->second.begin());
  }
  /// Takes the first task with may(task), if there is one. O(log tasks) where that is the first.
  template <typename May>
  std::optional<Index> take_first_if(ProcessorId processor, May&& may) {
    auto& levels = lists_[raw(processor)].levels;
    for (auto level = levels.begin(); level != levels.end(); ++level) {
      const auto& tasks = level->second;
      const auto at = std::find_if(tasks.begin(), tasks.end(),
                                   [&](const Listed& one) { return may(one.task); });
      if (at != tasks.end()) return take(processor, level, at);
    }
    return std::nullopt;
  }
  /// Takes, of the tasks with may(task), the one that came last of those of the highest priority,
  /// if there is one. O(log tasks) where that came last of the highest priority of all.
  template <typename May>
  std::optional<Index> take_last_of_highest_if(ProcessorId processor, May&& may) {
    auto& levels = lists_[raw(processor)].levels;
    for (auto level = levels.begin(); level != levels.end(); ++level) {
      const auto& tasks = level->second;
      for (auto at = tasks.end(); at != tasks.begin();) {
        if (may((--at)->task)) return take(processor, level, at);
      }
    }
    return std::nullopt;
  }
  /// Takes, of the first `view` of those of the highest priority, the first of the least
  /// cost(task); one of cost 0 ends the search. @pre !empty(processor)
  template <typename Cost>
  Index take_least(ProcessorId processor, std::size_t view, Cost&& cost) {
    const auto level = lists_[raw(processor)].levels.begin();
    auto best = level->second.begin();
    const auto size = static_cast<std::size_t>(level->second.end() - best);
    const auto end = best + static_cast<std::ptrdiff_t>(std::min(view, size));
    if (std::next(best) == end) return take(processor, level, best);
    auto least = cost(best->task);
    for (auto at = std::next(best); least > 0 && at != end; ++at) {
      const auto its_cost = cost(at->task);
      if (!(its_cost < least)) continue;
      best = at;
      least = its_cost;
    }
    return take(processor, level, best);
  }

  /// Calls visit(entry) from the first behind `last` on, from the first of all where there is none,
  /// while it returns true.
  template <typename Visit>
  void for_each_behind_while(ProcessorId processor, const std::optional<Entry>& last,
                             Visit&& visit) const {
    const auto& levels = lists_[raw(processor)].levels;
    auto level = last ? levels.lower_bound(std::get<double>(*last)) : levels.begin();
    for (bool first = last.has_value(); level != levels.end(); ++level, first = false) {
      const auto& tasks = level->second;
      const bool behind = first && level->first == std::get<double>(*last);
      auto at = behind ? tasks.not_before(std::get<std::uint64_t>(*last) + 1) : tasks.begin();
      for (; at != tasks.end(); ++at) {
        if (!visit(Entry{level->first, at->came, at->task})) return;
      }
    }
  }
  /// The one before an entry of the list or of a task just taken, if there is one.
  [[nodiscard]] std::optional<Entry> before(ProcessorId processor, const Entry& entry) const {
    const auto& levels = lists_[raw(processor)].levels;
    auto level = levels.lower_bound(std::get<double>(entry));
    if (level != levels.end() && level->first == std::get<double>(entry)) {
      const auto& tasks = level->second;
      const auto at = tasks.not_before(std::get<std::uint64_t>(entry));
      if (at != tasks.begin()) return Entry{level->first, std::prev(at)->came, std::prev(at)->task};
    }
    if (level == levels.begin()) return std::nullopt;
    --level;
    const Listed& last = *std::prev(level->second.end());
    return Entry{level->first, last.came, last.task};
  }

 private:
  struct Listed {
    std::uint64_t came = 0;
    Index task = 0;
  };

  /// Tasks of one priority, in one piece of memory: the first of them are looked at again and
  /// again.
  class Level {
   public:
    using At = std::vector<Listed>::const_iterator;

    [[nodiscard]] At begin() const { return tasks_.begin() + gone_; }
    [[nodiscard]] At end() const { return tasks_.end(); }
    [[nodiscard]] bool empty() const { return begin() == end(); }
    /// The first that did not come before that.
    [[nodiscard]] At not_before(std::uint64_t came) const {
      return std::lower_bound(begin(), end(), came, [](const Listed& one, std::uint64_t then) {
        return one.came < then;
      });
    }
    void push_back(const Listed& one) { tasks_.push_back(one); }
    /// The fewer of those on either side of it move.
    void erase(At at) {
      if (end() - at <= at - begin()) {
        tasks_.erase(at);
        return;
      }
      const auto from = tasks_.begin() + gone_;
      std::move_backward(from, from + (at - begin()), from + (at - begin()) + 1);
      ++gone_;
      if (2 * gone_ < end() - tasks_.begin()) return;
      tasks_.erase(tasks_.begin(), tasks_.begin() + gone_);
      gone_ = 0;
    }

   private:
    std::vector<Listed> tasks_;
    std::ptrdiff_t gone_ = 0;  // so many of its front hold nothing any longer
  };
  using Levels = std::map<double, Level>;

  struct List {
    Levels levels;  // by -priority; none is empty
    std::size_t size = 0;
    std::vector<Levels::node_type> spare;  // empty levels, whose memory the next ones take

    void add(double first, const Listed& one) {
      auto level = levels.lower_bound(first);
      if (level == levels.end() || level->first != first) {
        if (spare.empty()) {
          level = levels.emplace_hint(level, first, Level());
        } else {
          spare.back().key() = first;
          level = levels.insert(level, std::move(spare.back()));
          spare.pop_back();
        }
      }
      level->second.push_back(one);
      ++size;
    }
  };

  Index take(ProcessorId processor, Levels::iterator level, Level::At at) {
    const Index task = at->task;
    List& list = lists_[raw(processor)];
    level->second.erase(at);
    if (level->second.empty()) list.spare.push_back(list.levels.extract(level));
    --list.size;
    for (const Index data : graph_.inputs(task)) --uses_[raw(processor)][data];
    return task;
  }

  const TaskGraph& graph_;
  Order order_;
  std::vector<List> lists_;
  std::vector<std::vector<std::uint32_t>> uses_;  // by processor and data
  std::uint64_t came_ = 0;
};

}  // namespace damocles
