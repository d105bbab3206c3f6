#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Tasks by kind (one where the graph names none), of each kind the one that came first first.
/// O(kinds) a step.
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
  void push(Index task) { queues_[kind(task)].push_back({came_++, task}); }
  [[nodiscard]] std::size_t waiting(std::size_t kind) const { return queues_[kind].size(); }
  /// Whether no task of any kind waits.
  [[nodiscard]] bool empty() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& q) { return q.empty(); });
  }

  /// @pre waiting(kind) > 0
  Index take(std::size_t kind) {
    const Index task = queues_[kind].front().task;
    queues_[kind].pop_front();
    return task;
  }
  /// Takes the task that came first of those of a kind with may(its first task), if there is one.
  template <typename May>
  std::optional<Index> take_oldest(May&& may) {
    std::optional<std::size_t> oldest;
    for (std::size_t kind = 0; kind < queues_.size(); ++kind) {
      if (queues_[kind].empty() || !may(queues_[kind].front().task)) continue;
      if (!oldest || queues_[kind].front().came < queues_[*oldest].front().came) oldest = kind;
    }
    return oldest ? std::optional(take(*oldest)) : std::nullopt;
  }

 private:
  struct Waiting {
    std::uint64_t came;
    Index task;
  };

  const TaskGraph& graph_;
  std::vector<std::deque<Waiting>> queues_;
  std::uint64_t came_ = 0;
};

}  // namespace damocles
