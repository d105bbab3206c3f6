// Of the tasks in view of a list, the one that lacks least.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/task_graph.hpp"
#include "models/winner_tree.hpp"

namespace damocles {

/// Tasks at the places of a list. What a task lacks is the sum of the weights of its inputs; a data
/// item that is there weighs nothing.
///
/// What a task is known to lack is a lower bound: of a data item that is evicted nobody is told. It
/// counts for a task when that task comes first, and looks again. So a load costs as much as tasks
/// looked at the data item since it was evicted, not as much as tasks read it.
class ReadiestTask {
 public:
  using Index = TaskGraph::Index;
  using Lack = std::int32_t;

  /// @param graph   outlives it
  /// @param weight  of each data item at first
  ReadiestTask(const TaskGraph& graph, Lack weight)
      : graph_(&graph), weights_(graph.data(), weight), counted_in_(graph.data()) {}

  /// A task comes to the end of the list, out of view.
  void append(Index task);
  /// The task at this place comes in view. @pre it never was
  void enter(Index place) { lacks_.set(place, count_more(place, 0)); }
  /// It is in view no longer.
  void leave(Index place) { lacks_.raise(place, out_of_view); }
  void weigh(Index data, Lack weight);
  /// The place of the task in view that lacks least; ties: the first. @pre there is one
  Index first();

 private:
  static constexpr Lack out_of_view = std::numeric_limits<Lack>::max();

  struct Listed {
    Index task = 0;
    Index input = 0;  // the first of its own, among those of all places
  };
  struct Counted {
    Index place = 0;
    Index input = 0;  // likewise
  };

  Lack count_more(Index place, Lack lack);

  const TaskGraph* graph_;
  std::vector<Listed> tasks_;                     // by place
  WinnerTree<Lack> lacks_{out_of_view};           // by place: the weights that were counted
  std::vector<char> counted_;                     // by place and input: whether it was
  std::vector<Lack> weights_;                     // by data item
  std::vector<std::vector<Counted>> counted_in_;  // by data item
};

}  // namespace damocles
