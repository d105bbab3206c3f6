// What each processor could run with the data items that it sees.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// The open tasks of a graph, and for each processor how many of them each data item would enable:
/// those of which all other inputs are in its view. All tasks are open at first, and nothing is in
/// view. O(inputs of the users of the data item) where a view changes, O(inputs processors) where a
/// task does.
class TaskViews {
 public:
  using Index = TaskGraph::Index;

  /// @param pairs  tasks of three or more inputs that lack two are counted too
  TaskViews(const TaskGraph& graph, std::size_t processors, bool pairs);

  [[nodiscard]] const TaskGraph& graph() const { return *graph_; }
  /// Open tasks.
  [[nodiscard]] std::size_t left() const { return left_; }
  [[nodiscard]] bool is_open(Index task) const { return open_[task] != 0; }
  /// Open tasks that read the data item.
  [[nodiscard]] Index users(Index data) const { return users_[data]; }
  /// These tasks, ascending, and maybe some that were closed since show() was told of it.
  [[nodiscard]] std::span<const Index> open_users(Index data) const { return open_users_[data]; }
  [[nodiscard]] bool in_view(std::size_t processor, Index data) const {
    return views_[processor].sees[data] != 0;
  }
  /// Whether it is open and lacks nothing that the processor sees not.
  [[nodiscard]] bool is_free(std::size_t processor, Index task) const {
    return views_[processor].missing[task].inputs == 0;
  }
  /// Open tasks that lack this data item alone. @pre it is not in view
  [[nodiscard]] Index frees(std::size_t processor, Index data) const {
    return views_[processor].frees[data];
  }
  /// Open tasks of three or more inputs that lack it and one more, where they are counted.
  [[nodiscard]] Index nearly_frees(std::size_t processor, Index data) const {
    return views_[processor].nearly.empty() ? 0 : views_[processor].nearly[data];
  }
  /// The first of these tasks. @pre there is one
  [[nodiscard]] Index first_nearly_free(std::size_t processor, Index data) const;

  void set_open(Index task, bool open);
  /// Into view, or out of it.
  void show(std::size_t processor, Index data, bool in_view);

 private:
  /// How many inputs, and the sum of their numbers: of one input, its number.
  struct Missing {
    static constexpr Index of_closed = std::numeric_limits<Index>::max();
    Index inputs = 0;
    Index sum = 0;
  };
  struct View {
    std::vector<char> sees;        // by data item
    std::vector<Missing> missing;  // by task: inputs out of view
    std::vector<Index> frees;      // by data item
    std::vector<Index> nearly;     // by data item; empty: not counted
  };

  void list_again(Index data, Index task);
  /// Counts the task with what it lacks, or no longer.
  void count(View& view, Index task, bool more) const;
  [[nodiscard]] Missing missing(const View& view, Index task) const;
  [[nodiscard]] bool lacks_two(const View& view, Index task) const {
    return view.missing[task].inputs == 2 && graph_->inputs(task).size() >= 3;
  }

  const TaskGraph* graph_;
  std::vector<char> open_;                      // by task
  std::vector<Index> users_;                    // by data item
  std::vector<std::vector<Index>> open_users_;  // by data item
  std::size_t left_;
  std::vector<View> views_;
};

}  // namespace damocles
