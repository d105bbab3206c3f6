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
///
/// What a task lacks is not stored, but found from its inputs. Of a task with two, the list of
/// users of each names the other, so that a change of a view reads one list from end to end. Where
/// the others follow each other, as on a grid, a byte for each user takes the place of the list.
class TaskViews {
 public:
  using Index = TaskGraph::Index;

  /// @param pairs  tasks of three or more inputs that lack two are counted too
  TaskViews(const TaskGraph& graph, std::size_t processors, bool pairs);

  [[nodiscard]] const TaskGraph& graph() const { return *graph_; }
  /// Open tasks.
  [[nodiscard]] std::size_t left() const { return left_; }
  [[nodiscard]] bool is_open(Index task) const { return open_[task]; }
  /// Open tasks that read the data item.
  [[nodiscard]] Index users(Index data) const { return users_[data]; }
  /// The same of all data items.
  [[nodiscard]] std::span<const Index> all_users() const { return users_; }
  [[nodiscard]] bool in_view(std::size_t processor, Index data) const {
    return views_[processor].sees[data] != 0;
  }
  /// Whether it is open and lacks nothing that the processor sees not.
  [[nodiscard]] bool is_free(std::size_t processor, Index task) const {
    return is_open(task) && lacking(views_[processor], task).count == 0;
  }
  /// Open tasks that lack this data item alone; 0 where it is in view.
  [[nodiscard]] Index frees(std::size_t processor, Index data) const {
    return views_[processor].frees[data];
  }
  /// The same of all data items.
  [[nodiscard]] std::span<const Index> all_frees(std::size_t processor) const {
    return views_[processor].frees;
  }
  /// Open tasks of three or more inputs that lack it and one more, where they are counted; 0 where
  /// it is in view.
  [[nodiscard]] Index nearly_frees(std::size_t processor, Index data) const {
    return views_[processor].nearly.empty() ? 0 : views_[processor].nearly[data];
  }
  /// The first of these tasks. @pre there is one
  [[nodiscard]] Index first_nearly_free(std::size_t processor, Index data) const;

  void set_open(Index task, bool open);
  /// Into view. Adds the open tasks that read it and lack nothing then, ascending.
  void show(std::size_t processor, Index data, std::vector<Index>& enabled);
  /// Out of view.
  void hide(std::size_t processor, Index data);

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();

  /// A task that reads a data item.
  struct User {
    Index task = 0;
    Index other = none;  // its other input, if it has two
  };
  /// The users of a data item that all have two inputs, the others of which follow each other: the
  /// tasks of a grid's row or column.
  struct Row {
    Index first_other = none;
    std::vector<char> open;  // by user: 1 if it is open, else 0; empty: the users are listed
  };
  /// Inputs of a task that are out of view.
  struct Lacking {
    std::size_t count = 0;
    Index first = none;
    Index last = none;
  };
  struct View {
    std::vector<char> sees;     // by data item
    std::vector<Index> frees;   // by data item
    std::vector<Index> nearly;  // by data item; empty: not counted
  };

  [[nodiscard]] User user(Index task, Index data) const;
  /// Lists the users of a data item in one of two ways.
  void list_users(Index data);
  void show_row(View& view, Index data, std::vector<Index>& enabled) const;
  void hide_row(View& view, Index data) const;
  static void count_others(const Row& row, View& view, Index more);
  void set_listed(Index data, Index task, bool open);
  void list_again(Index data, Index task);
  /// Calls visit(task, what it lacks beside the data item) for each open task that reads it,
  /// ascending.
  template <typename Visit>
  void for_each_user(const View& view, Index data, Visit&& visit);
  [[nodiscard]] Lacking lacking(const View& view, Index task, Index beside = none) const;
  [[nodiscard]] bool counts_pairs(const View& view, Index task) const {
    return !view.nearly.empty() && graph_->inputs(task).size() >= 3;
  }

  const TaskGraph* graph_;
  std::vector<bool> open_;                     // by task; bits, so that more stay in the cache
  std::vector<Index> users_;                   // by data item
  std::vector<Row> rows_;                      // by data item
  std::vector<std::vector<User>> open_users_;  // of others; some were closed since then
  std::size_t left_;
  std::vector<View> views_;
};

}  // namespace damocles
