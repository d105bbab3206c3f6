// Finds the task of a list that lacks least.

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"
#include "models/winner_tree.hpp"

namespace damocles {

/// Tasks at the places of a list. What a task lacks is the sum of the weights of the data items
/// that it needs; a data item that is there weighs nothing.
///
/// What a task is known to lack is a lower bound, as an eviction changes nothing at once. It counts
/// for a task when that task comes first and is looked at again. So a load costs as much as there
/// are tasks that were looked at since the eviction, and not as all tasks that read the data item.
///
/// Checked against sums over all tasks by tests/models/readiest_task_test.cpp.
///
/// @tparam Lack  a number, or several that are added one by one; Lack{} is nothing. Compared by <:
///               if one of them grows, the whole grows
template <typename Lack>
class ReadiestTask {
 public:
  using Index = TaskGraph::Index;

  /// @param graph    outlives it
  /// @param weights  of each data item at first, shape (data)
  /// @param most     more than any task lacks
  ReadiestTask(const TaskGraph& graph, std::vector<Lack> weights, Lack most)
      : graph_(&graph),
        out_of_view_(most),
        lacks_(most),
        weights_(std::move(weights)),
        counted_in_(graph.data()) {}

  /// Makes room for so many tasks.
  void reserve(std::size_t tasks) {
    tasks_.reserve(tasks);
    counted_.reserve(std::min(tasks * graph_->widest(), graph_->edges()));
    lacks_.reserve(tasks);
  }
  /// A task comes to the end of the list, out of view.
  void append(Index task) {
    tasks_.push_back({task, static_cast<Index>(counted_.size())});
    counted_.resize(counted_.size() + graph_->needed(task).size(), 0);
    lacks_.push_back(out_of_view_);
  }
  /// The task at this place comes in view. @pre it never was
  void enter(Index place) { lacks_.set(place, count_more(place, Lack{})); }
  /// It is in view no longer.
  void leave(Index place) { lacks_.raise(place, out_of_view_); }

  /// From now on the data item has this weight.
  void weigh(Index data, Lack weight) {
    const Lack before = std::exchange(weights_[data], weight);
    const bool is_there = weight == Lack{};
    for (const Counted& one : counted_in_[data]) {
      if (is_there) counted_[one.input] = 0;
      Lack lack = lacks_.key(one.place);
      if (lack == out_of_view_) continue;
      lack += weight;
      lack -= before;
      lacks_.set(one.place, lack);
    }
    if (is_there) counted_in_[data].clear();
  }

  /// The place of the task in view that lacks least; ties: the first. @pre there is one
  Index first() {
    while (true) {
      const auto place = static_cast<Index>(lacks_.best());
      const Lack known = lacks_.key(place);
      const Lack lack = count_more(place, known);
      if (lack == known) return place;
      lacks_.raise(place, lack);
    }
  }

 private:
  struct Listed {
    Index task = 0;
    Index input = 0;  // the first of its own, among those of all places
  };
  struct Counted {
    Index place = 0;
    Index input = 0;  // likewise
  };

  /// What the task lacks, where so much of it was counted.
  Lack count_more(Index place, Lack lack) {
    Index input = tasks_[place].input;
    for (const Index data : graph_->needed(tasks_[place].task)) {
      if (!(weights_[data] == Lack{}) && counted_[input] == 0) {
        counted_[input] = 1;
        counted_in_[data].push_back({place, input});
        lack += weights_[data];
      }
      ++input;
    }
    return lack;
  }

  const TaskGraph* graph_;
  Lack out_of_view_;
  std::vector<Listed> tasks_;                     // by place
  WinnerTree<Lack> lacks_;                        // by place: the weights that were counted
  std::vector<char> counted_;                     // by place and input: whether it was
  std::vector<Lack> weights_;                     // by data item
  std::vector<std::vector<Counted>> counted_in_;  // by data item
};

}  // namespace damocles
