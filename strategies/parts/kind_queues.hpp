#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"
#include "strategies/parts/task_queues.hpp"

namespace damocles {

/// Ready tasks by kind (one where the graph names none), of each kind a queue; so that who can run
/// only some finds the next of these at once. O(kinds) a step, and that of the queue.
template <typename Queue = FirstCome>
class KindQueues {
 public:
  using Index = TaskGraph::Index;

  /// The graph outlives it.
  explicit KindQueues(const TaskGraph& graph)
      : graph_(graph), queues_(std::max<std::size_t>(1, graph.parts().kind_names.size())) {}

  [[nodiscard]] std::size_t kinds() const { return queues_.size(); }
  [[nodiscard]] std::size_t kind(Index task) const {
    return graph_.parts().task_kinds.empty() ? 0 : graph_.parts().task_kinds[task];
  }
  void push(Index task) { queues_[kind(task)].push(graph_.priority(task), came_++, task); }
  [[nodiscard]] std::size_t waiting(std::size_t kind) const { return queues_[kind].size(); }
  /// Whether no task of any kind waits.
  [[nodiscard]] bool empty() const {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const auto& queue) { return queue.size() == 0; });
  }

  /// @pre waiting(kind) > 0
  Index take(std::size_t kind) {
    const Index task = queues_[kind].first().task;
    queues_[kind].take_first();
    return task;
  }
  /// Takes the first of all tasks that are of a kind with may(its first task), if there is one;
  /// with leave(that task) it stays where it is, and nothing is taken.
  template <typename May, typename Leave>
  std::optional<Index> take_first_if(May&& may, Leave&& leave) {
    std::optional<std::size_t> first;
    for (std::size_t kind = 0; kind < queues_.size(); ++kind) {
      if (queues_[kind].size() == 0 || !may(queues_[kind].first().task)) continue;
      if (!first || queues_[kind].first() < queues_[*first].first()) first = kind;
    }
    if (!first || leave(queues_[*first].first().task)) return std::nullopt;
    return take(*first);
  }
  template <typename May>
  std::optional<Index> take_first_if(May&& may) {
    return take_first_if(std::forward<May>(may), [](Index) { return false; });
  }

 private:
  const TaskGraph& graph_;
  std::vector<Queue> queues_;
  std::int64_t came_ = 0;
};

}  // namespace damocles
