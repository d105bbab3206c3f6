#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Which tasks may start: those whose predecessors have all ended.
class ReadyTasks {
 public:
  using Index = TaskGraph::Index;

  /// The graph outlives it.
  explicit ReadyTasks(const TaskGraph& graph) : graph_(graph) {
    if (!ordered()) return;
    waits_for_.reserve(graph.tasks());
    for (std::size_t t = 0; t < graph.tasks(); ++t) {
      waits_for_.push_back(graph.dependencies().waits_for(static_cast<Index>(t)));
    }
  }

  /// Whether some task waits for another.
  [[nodiscard]] bool ordered() const { return !graph_.dependencies().empty(); }

  /// Calls visit(task) for each that waits for nobody, in the order of submission.
  template <typename Visit>
  void for_each_first(Visit&& visit) const {
    for (std::size_t t = 0; t < waits_for_.size(); ++t) {
      if (waits_for_[t] == 0) visit(static_cast<Index>(t));
    }
  }

  /// The task ended: calls visit(task) for each that waited for it alone, in the order of
  /// submission.
  template <typename Visit>
  void ended(Index task, Visit&& visit) {
    for (const Index later : graph_.dependencies().after(task)) {
      if (--waits_for_[later] == 0) visit(later);
    }
  }

 private:
  const TaskGraph& graph_;
  std::vector<std::uint32_t> waits_for_;  // predecessors that have not ended
};

}  // namespace damocles
