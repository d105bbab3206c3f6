#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Which tasks may start: those whose predecessors have all ended, and which have every data item
/// on which they commute.
///
/// A task takes all such data at once, when it becomes ready, and has them until it has ended; one
/// that finds some of them taken takes none, and tries again when they are free. Of several that
/// could, the one submitted first goes first. So nobody is ready whom another could keep from
/// running, and no two wait for each other. (StarPU shows its policies such tasks likewise, when
/// their arbiter has given them their data: starpu_data_assign_arbiter.)
class ReadyTasks {
 public:
  using Index = TaskGraph::Index;

  /// The graph outlives it.
  explicit ReadyTasks(const TaskGraph& graph)
      : graph_(graph), taken_(graph.commutes() ? graph.data() : 0, false) {
    if (graph.ordered()) waits_ = Countdown(graph.dependencies(), graph.tasks());
  }

  /// Calls visit(task) for each that is ready before any has ended, in the order of submission.
  template <typename Visit>
  void for_each_first(Visit&& visit) {
    for (Index task = 0; task < waits_.tasks(); ++task) {
      if (!waits_.waits(task) && take_turn(task)) visit(task);
    }
  }

  /// The task ended: calls visit(task) for each that waited for it alone, in the order of
  /// submission.
  template <typename Visit>
  void ended(Index task, Visit&& visit) {
    if (waits_.tasks() == 0) return;
    if (taken_.empty()) {
      waits_.ended(task, visit);
      return;
    }
    std::set<Index> candidates;
    waits_.ended(task, [&](Index later) { candidates.insert(later); });
    std::vector<Index> released;
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (!commutes(access)) return;
      taken_[data] = false;
      released.push_back(data);
    });
    while (true) {
      for (const Index data : released) call_first_of(data, candidates);
      if (candidates.empty()) return;
      const Index first = *candidates.begin();
      candidates.erase(candidates.begin());
      if (take_turn(first)) visit(first);
    }
  }

 private:
  /// True if the task has all data on which it commutes from now on; else it waits for one that is
  /// taken.
  bool take_turn(Index task) {
    if (taken_.empty()) return true;
    bool free = true;
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (!free || !commutes(access) || !taken_[data]) return;
      free = false;
      waiting_[data].insert(task);
    });
    if (!free) return false;
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (commutes(access)) taken_[data] = true;
    });
    return true;
  }

  /// The first that waits for a data item that is free is to try.
  void call_first_of(Index data, std::set<Index>& candidates) {
    const auto queue = waiting_.find(data);
    if (taken_[data] || queue == waiting_.end()) return;
    candidates.insert(queue->second.extract(queue->second.begin()));
    if (queue->second.empty()) waiting_.erase(queue);
  }

  const TaskGraph& graph_;
  Countdown waits_;                           // of no tasks where nobody waits
  std::vector<bool> taken_;                   // by data; empty where nobody commutes
  std::map<Index, std::set<Index>> waiting_;  // by data that is taken; each task for one of them
};

}  // namespace damocles
