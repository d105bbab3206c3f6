#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// For one processor: which data are in its view, and how many open tasks each other data item
/// would free, kept up to date as data come and go and tasks are taken.
///
/// Per task the number of inputs missing from the view and the XOR of their ids, so that when one
/// is missing its id is known: then, and only then, it counts for n(D) of IPDPS'22 Algorithm 5. A
/// change of view costs O(users of the data), taking a task O(1), both times the inputs of a task
/// where pairs are counted too. Which data changed is remembered until asked, so that whoever ranks
/// them can do so once a decision.
class EnabledTaskIndex {
 public:
  /// Of a processor, for each data item and task [B]: whether it is in view and has changed, what
  /// it frees; what the task lacks.
  static constexpr double bytes_by_data = 2 + sizeof(std::uint32_t);
  static constexpr double bytes_by_task = sizeof(std::uint32_t) + sizeof(TaskGraph::Index);

  using Index = TaskGraph::Index;

  /// All tasks open, nothing in view. Tasks that lack two inputs are counted as well (nearly_frees)
  /// if they have at least `pair_inputs` inputs; 0: not at all. `graph` must outlive this.
  EnabledTaskIndex(const TaskGraph& graph, std::size_t pair_inputs);

  [[nodiscard]] bool in_view(Index data) const { return in_view_[data] != 0; }
  /// Open tasks that lack `data` alone.
  [[nodiscard]] std::uint32_t frees(Index data) const { return frees_[data]; }
  /// Their flops, where pairs are counted.
  [[nodiscard]] double freed_flops(Index data) const { return freed_flops_[data]; }
  /// Open tasks that lack `data` and one more.
  [[nodiscard]] std::uint32_t nearly_frees(Index data) const { return nearly_frees_[data]; }
  /// Whether the task is open and lacks nothing.
  [[nodiscard]] bool is_free(Index task) const { return entries_[task].missing == 0; }
  /// Whether the task is open, lacks `data` and one more, and counts in nearly_frees().
  [[nodiscard]] bool is_nearly_free_by(Index task, Index data) const;

  /// Brings `data` into view; calls on_free(task) for each open task that lacks nothing now,
  /// ascending. @pre !in_view(data)
  template <typename OnFree>
  void show(Index data, OnFree&& on_free) {
    note(data);
    for (const Index task : graph_.users(data)) {
      Entry& entry = entries_[task];
      if (entry.missing == taken) continue;
      if (entry.missing <= 2) uncount(task);  // counts what lacks `data`, while that is not in view
      --entry.missing;
      entry.ids ^= data;
    }
    in_view_[data] = 1;
    for (const Index task : graph_.users(data)) {
      const Entry& entry = entries_[task];
      if (entry.missing == taken) continue;
      if (entry.missing == 0) on_free(task);
      if (entry.missing == 1 || entry.missing == 2) count(task);
    }
  }
  /// Takes `data` out of view. @pre in_view(data)
  void hide(Index data);
  /// The task is open no longer. @pre it is open
  void take(Index task) {
    uncount(task);
    entries_[task].missing = taken;
  }
  /// The task is open again; true if it lacks nothing. @pre it was taken
  bool give_back(Index task);

  /// Lists `data` among the changed, for a ranking that depends on more than this.
  void note(Index data) {
    if (is_changed_[data] != 0) return;
    is_changed_[data] = 1;
    changed_.push_back(data);
  }
  /// Calls visit(data) for each data item whose counts or view changed since the last call.
  template <typename Visit>
  void for_each_changed(Visit&& visit) {
    for (const Index data : changed_) {
      is_changed_[data] = 0;
      visit(data);
    }
    changed_.clear();
  }

 private:
  struct Entry {
    std::uint32_t missing;
    Index ids;  ///< XOR of the missing ones
  };
  static constexpr std::uint32_t taken = std::numeric_limits<std::uint32_t>::max();

  /// Adds or removes what an open task counts for.
  void count(Index task) { change(task, 1); }
  void uncount(Index task) { change(task, ~std::uint32_t{0}); }
  void change(Index task, std::uint32_t by) {
    const Entry entry = entries_[task];
    if (entry.missing == 1) {
      frees_[entry.ids] += by;
      if (pair_inputs_ > 0) {
        freed_flops_[entry.ids] += by == 1 ? graph_.flops(task) : -graph_.flops(task);
      }
      note(entry.ids);
    } else if (entry.missing == 2 && pair_inputs_ > 0) {
      change_pair(task, by);
    }
  }
  void change_pair(Index task, std::uint32_t by);

  const TaskGraph& graph_;
  std::size_t pair_inputs_;
  std::vector<Entry> entries_;  // by task
  std::vector<std::uint8_t> in_view_;
  std::vector<std::uint32_t> frees_;
  std::vector<double> freed_flops_;
  std::vector<std::uint32_t> nearly_frees_;
  std::vector<std::uint8_t> is_changed_;
  std::vector<Index> changed_;
};

}  // namespace damocles
