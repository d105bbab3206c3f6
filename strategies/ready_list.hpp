#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/bipartite.hpp"
#include "models/ids.hpp"
#include "models/tournament.hpp"

namespace damocles {

/// The tasks allotted to each processor, in order, and which of them is readiest: the first that
/// needs the fewest bytes of transfers.
///
/// The bytes each listed task lacks are kept as data come and go, so asking costs O(log m) and a
/// load or an eviction O(users of the data in that list), of which an eviction's are single stores.
///
/// Source: IPDPS22, Algorithm 2 (Ready) and section IV-B (stealing). Checked against linear scans
/// by tests/strategies/ready_list_test.cpp.
class ReadyList {
 public:
  using Index = Bipartite::Index;

  /// What "half of the remaining tasks" is a half of.
  enum class Half { tasks, flops };

  /// All lists and memories empty. `graph` must outlive this.
  ReadyList(const Bipartite& graph, std::size_t processors);

  /// Appends a task to a processor's list. @pre the task is in no list
  void push_back(ProcessorId processor, Index task);

  /// Removes and returns the first task of the list that lacks the fewest bytes; none if empty.
  std::optional<Index> take_readiest(ProcessorId processor);
  /// Removes and returns the first task of the list; none if empty.
  std::optional<Index> take_front(ProcessorId processor);
  /// Removes a task from the list it is in. @pre it is in one
  void remove(Index task);

  [[nodiscard]] std::size_t size(ProcessorId processor) const { return list(processor).size; }
  [[nodiscard]] bool empty(ProcessorId processor) const { return size(processor) == 0; }
  /// Sum of the flops of the tasks in the list, to rounding; 0 when it is empty.
  [[nodiscard]] double work(ProcessorId processor) const { return list(processor).work; }
  /// The processor in whose list a task is, if any.
  [[nodiscard]] std::optional<ProcessorId> owner(Index task) const;
  /// Bytes of a task's inputs that its processor lacks [B]. @pre the task is in a list
  [[nodiscard]] std::uint64_t missing_bytes(Index task) const;

  /// A data is in a processor's memory or on its way there. Telling it twice changes nothing.
  void on_loaded(ProcessorId processor, Index data);
  /// A data is no longer in a processor's memory. Telling it twice changes nothing.
  void on_evicted(ProcessorId processor, Index data);
  [[nodiscard]] bool holds(ProcessorId processor, Index data) const {
    return list(processor).held[data];
  }

  /// Moves half (rounded up) of the list that has most left, from its tail, to the end of the
  /// thief's, in the same order. Of equal lists the lowest processor's is robbed, never the
  /// thief's own. By flops: of the list with most flops the shortest tail that has half of them.
  /// @return whether anything was moved
  bool steal(ProcessorId thief, Half half = Half::tasks);

  /// Calls visit(task) for the first `count` tasks of the list, or all where there are fewer.
  /// `visit` must not change the lists.
  template <typename Visit>
  void for_each_next(ProcessorId processor, std::size_t count, Visit&& visit) const {
    for (Index task = list(processor).first; task != none && count > 0; --count) {
      visit(task);
      task = places_[task].next;
    }
  }

  /// Where in the list the first task stands that reads a data, or none. Positions of one
  /// processor compare; they do not change while tasks leave, and their gaps mean nothing.
  /// Amortised O(1) over the inputs listed.
  std::optional<std::uint32_t> next_use(ProcessorId processor, Index data);

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();
  static constexpr std::uint64_t taken = std::numeric_limits<std::uint64_t>::max();

  /// Where a listed task stands: its list (or `none`), its position there, its neighbours.
  struct Place {
    Index owner = none;
    Index position = 0;
    Index previous = none;
    Index next = none;
  };

  /// The positions at which a data is read, ascending. Those before `next` have left the list;
  /// others may have, and are dropped when the data is next gone through.
  struct Uses {
    std::vector<Index> positions;
    std::size_t next = 0;
  };

  struct List {
    explicit List(std::size_t data) : held(data, false) {}

    std::vector<Index> tasks;                  ///< by position, those that left included
    Tournament<std::uint64_t> missing{taken};  ///< bytes, by position
    std::vector<bool> held;                    ///< which data are in memory or on their way
    Index first = none;
    Index last = none;
    std::size_t size = 0;
    double work = 0;
    std::vector<Uses> uses;  ///< by data; empty until a task comes
  };

  [[nodiscard]] const List& list(ProcessorId processor) const { return lists_[raw(processor)]; }
  [[nodiscard]] List& list(ProcessorId processor) { return lists_[raw(processor)]; }
  [[nodiscard]] std::optional<ProcessorId> victim(ProcessorId thief, Half half) const;
  /// Calls change(position, missing bytes) for each task of the list that reads the data.
  template <typename Change>
  static void for_each_use(List& list, Index data, Change&& change);

  const Bipartite* graph_;
  std::vector<Place> places_;  ///< by task
  std::vector<List> lists_;    ///< by processor
};

}  // namespace damocles
