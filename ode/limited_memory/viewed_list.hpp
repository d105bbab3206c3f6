#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/readiest_task.hpp"
#include "ode/limited_memory/farthest_use.hpp"
#include "ode/limited_memory/recency_list.hpp"
#include "ode/limited_memory/task_loads.hpp"

namespace damocles {

/// What a processor looks at when it takes a task of its list.
struct ListView {
  /// Which data items are loaded ahead.
  enum class Ahead {
    nothing,
    once_in_view,  ///< each when its first task comes in view; then, of tasks that lack equally
                   ///< much, the one goes first of which the fewest inputs were evicted
    in_view        ///< what a task in view lacks
  };

  static constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

  std::size_t tasks = 0;  ///< how many, from the head of the list
  Ahead ahead = Ahead::once_in_view;
  bool in_order = false;  ///< it takes the first, whatever that lacks
  /// Loads ahead replace nothing that any task of the list reads, in view or not.
  bool spares_list = false;
};

/// One processor and its list of tasks. It takes, of the tasks in view, the one that lacks the
/// fewest data items; of equal ones the first. It evicts the data item that the list reads last
/// (`belady`), or the least recently used (`lru`).
///
/// Loads ahead of tasks in view replace nothing that such a task reads. Loads of a task replace
/// nothing that a task taken before it and not ended reads, if there is anything else.
/// Source: IPDPS'22, Algorithm 2 (Ready), as the simulator has it.
class ViewedList {
 public:
  using Index = TaskGraph::Index;

  /// @param run  outlives it
  ViewedList(const LimitedRun& run, const TaskSequence& list, ListView view);

  /// A task comes to its end.
  void append(Index task);
  /// Tasks that it has not taken.
  [[nodiscard]] std::size_t left() const { return left_; }
  /// What the task that it takes now loads. @pre left() > 0
  /// @param unfinished  tasks that it took before and that have not ended
  TaskLoads take(std::size_t unfinished);
  /// Loads a data item for a task in view. False: there is none that it may load.
  bool load_ahead(std::size_t unfinished);
  /// What it loaded for a task in view has come.
  void ahead_came();
  /// Moves half of the tasks, rounded up, from the end of another list to the end of this one.
  void steal_from(ViewedList& other);

 private:
  static constexpr Index never = FarthestUse::never;
  enum class State : std::uint8_t { unknown, wanted, held, evicted };

  struct Item {
    State state = State::unknown;
    Index latest_reader = 0;    // number of the last task taken that reads it, from 1
    Index readers = 0;          // tasks in view, or of the list, for which it is spared
    Index first_use = 0;        // index into `uses` of the first whose task is not taken
    std::vector<Index> uses{};  // places in the list, where the next use decides what is evicted
  };
  /// A task of the list; of those that are not taken, the places before and after.
  struct Listed {
    Index task = 0;
    Index before = never;
    Index after = never;
    bool taken = false;
  };

  /// What a task in view lacks: data items that are not there, then those of them that were
  /// evicted.
  using Lack = std::int32_t;
  static constexpr Lack lacks_item = 256;
  static constexpr Lack was_evicted = 1;

  Index take_last();
  void look_on();
  void enter_view(Index place);
  void add_reader(Item& item);
  void remove_readers_of(Index task);
  void unlink(Index place);
  void remove(Index place);
  void weigh(Index data, Lack weight);
  [[nodiscard]] Index next_use(Item& item) const;
  void load(Index data, bool ahead = false);
  void evict(Index data);
  void touch(Index data);
  template <typename May>
  [[nodiscard]] std::optional<Index> first_to_go(May&& may);
  void make_room(std::size_t unfinished);
  [[nodiscard]] std::optional<Index> next_wanted();
  [[nodiscard]] std::optional<Index> first_lacking();
  [[nodiscard]] std::optional<Index> next_ahead();

  const LimitedRun& run_;
  bool by_next_use_;
  ListView view_;
  bool has_to_come_;           // what is on its way is not there, and what was evicted counts
  std::vector<Listed> tasks_;  // by place
  Index first_ = never;        // place of the first that is not taken
  Index last_ = never;         // of the last
  std::size_t left_ = 0;
  ReadiestTask<Lack> readiest_;  // unless it takes tasks in order
  std::size_t in_view_ = 0;      // tasks
  Index unseen_ = 0;             // the first place that never was in view
  Index none_lacks_before_ = 0;  // place: tasks in view before it have all their inputs
  std::vector<Item> items_;      // by data item
  RecencyList held_;
  FarthestUse farthest_;             // of the same, where the next use decides
  std::size_t spare_ = 0;            // data items held that are spared for nobody
  std::vector<Index> wanted_;        // data items in the order in which they came in view
  std::size_t served_ = 0;           // of these
  std::optional<Index> on_its_way_;  // for a task in view
  Index taken_ = 0;                  // tasks
};

}  // namespace damocles
