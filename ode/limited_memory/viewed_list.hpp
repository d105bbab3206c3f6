#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "ode/limited_memory/counted_loads.hpp"

namespace damocles {

/// What a processor looks at when it takes a task of its list.
struct ListView {
  /// Which data items are loaded ahead.
  enum class Ahead {
    nothing,
    once_in_view,  ///< each when its first task comes in view; then, of tasks that lack equally
                   ///< much, the one goes first of which the fewest inputs were evicted
    in_view,       ///< what a task in view lacks
    as_proposed    ///< of a list, each in its turn if it is not there
  };

  std::size_t tasks = 0;  ///< how many, from the head of the list
  Ahead ahead = Ahead::once_in_view;
  std::vector<TaskGraph::Index> proposed{};
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

  /// Tasks that it has not taken.
  [[nodiscard]] std::size_t left() const { return left_; }
  /// What the task that it takes now loads. @pre left() > 0
  /// @param unfinished  tasks that it took before and that have not ended
  TaskLoads take(std::size_t unfinished);
  /// Loads a data item for a task in view. False: there is none that it may load.
  bool load_ahead(std::size_t unfinished);
  /// Moves half of the tasks, rounded up, from the end of another list to the end of this one.
  void steal_from(ViewedList& other);

 private:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  enum class State : std::uint8_t { unknown, wanted, held, evicted };

  struct Item {
    State state = State::unknown;
    std::size_t touched = 0;            // when, by number of touches
    std::size_t latest_reader = 0;      // number of the last task taken that reads it, from 1
    std::uint32_t readers_in_view = 0;  // tasks
    std::vector<std::size_t> uses{};    // places in the list
    std::size_t first_use = 0;          // index into `uses` of the first whose task is not taken
  };
  /// What goes first is last: the farthest use, where that counts; then what was touched longest
  /// ago.
  using Place = std::tuple<std::size_t, std::size_t, Index>;

  void append(Index task);
  Index take_last();
  void look_on();
  [[nodiscard]] std::size_t readiest() const;
  void remove(std::size_t place);
  [[nodiscard]] std::size_t next_use(Item& item) const;
  [[nodiscard]] Place place_of(Index data);
  void load(Index data);
  void evict(Index data);
  void touch(Index data);
  void make_room(std::size_t unfinished);
  [[nodiscard]] std::optional<Index> next_wanted();
  [[nodiscard]] std::optional<Index> first_lacking() const;
  [[nodiscard]] std::optional<Index> next_proposed();
  [[nodiscard]] std::optional<Index> next_ahead();

  const LimitedRun& run_;
  bool by_next_use_;
  ListView view_;
  TaskSequence tasks_;          // by place
  std::vector<char> is_taken_;  // by place
  std::size_t left_ = 0;
  std::vector<std::size_t> in_view_;  // places
  std::size_t unseen_ = 0;            // the first place that never was in view
  std::vector<Item> items_;           // by data item
  std::set<Place> held_;
  std::vector<Index> wanted_;  // data items in the order in which they came in view
  std::size_t served_ = 0;     // of these, or of those proposed
  std::size_t taken_ = 0;      // tasks
  std::size_t touches_ = 0;
};

}  // namespace damocles
