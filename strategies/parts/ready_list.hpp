#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/ids.hpp"
#include "models/readiest_task.hpp"
#include "models/task_graph.hpp"
#include "strategies/parts/next_uses.hpp"

namespace damocles {

/// What a listed task lacks [B]; the readiest task is the one of the smallest.
struct MissingBytes {
  std::uint64_t missing = 0;      ///< of inputs that are not there, those on their way included
  std::uint64_t unrequested = 0;  ///< of these, what no request brings: see ReadyList::Requests

  MissingBytes& operator+=(const MissingBytes& more) {
    missing += more.missing;
    unrequested += more.unrequested;
    return *this;
  }
  MissingBytes& operator-=(const MissingBytes& less) {
    missing -= less.missing;
    unrequested -= less.unrequested;
    return *this;
  }
  friend bool operator==(const MissingBytes&, const MissingBytes&) = default;
  friend bool operator<(const MissingBytes& a, const MissingBytes& b) {
    return a.missing != b.missing ? a.missing < b.missing : a.unrequested < b.unrequested;
  }
};

/// The tasks allotted to each processor, in order, and which of them is readiest: the first that
/// needs the fewest bytes of transfers; among equals the fewest that nobody has requested yet.
///
/// What listed tasks lack is kept as data items come and go (ReadiestTask): asking costs O(log m),
/// an arrival O(tasks that were looked at since the data item was evicted), and an eviction
/// O(1). It is kept from the first question on, so that who takes the first of a list pays nothing.
/// Where a view is shorter than the list, asking costs O(view) and an arrival or an eviction O(1).
///
/// Source: IPDPS22, Algorithm 2 (Ready) and section IV-B (stealing); the ties as in StarPU at the
/// time of the paper (docs/explanation/measured.md). Checked against linear scans by
/// tests/strategies/parts/ready_list_test.cpp.
class ReadyList {
 public:
  using Index = TaskGraph::Index;
  /// Of a processor, for each data item [B]: its state, tasks in view, latest request and touch.
  static constexpr double bytes_by_data =
      1 + sizeof(Index) + sizeof(std::size_t) + sizeof(std::uint64_t);

  /// What "half of the remaining tasks" is a half of.
  enum class Half { tasks, flops };
  /// Which data that are not there have been requested. at_push: those not loaded since a task that
  /// reads them came in view, and those on their way, so that on a tie a new data item wins over
  /// one that was evicted; untold: ties are not looked at.
  enum class Requests { untold, at_push };
  /// A view that no list is longer than.
  static constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

  /// All lists and memories empty. In view are the first `view` tasks of each list: among them is
  /// the readiest, and what they read is requested. `graph` must outlive this. @pre view > 0
  ReadyList(const TaskGraph& graph, std::size_t processors, Requests requests = Requests::untold,
            std::size_t view = whole);

  /// Appends a task to a processor's list. @pre the task is in no list
  void push_back(ProcessorId processor, Index task);

  /// Removes and returns, of the first `among` tasks in view, the first that lacks the fewest
  /// bytes; none if the list is empty. Costs O(among) where `among` is given.
  std::optional<Index> take_readiest(ProcessorId processor, std::size_t among = whole);
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
  /// What its processor lacks of a task's inputs. @pre the task is in a list
  [[nodiscard]] MissingBytes lack(Index task) const;
  /// Tasks in view that read a data item.
  [[nodiscard]] std::uint32_t uses(ProcessorId processor, Index data) const {
    return list(processor).uses_left[data];
  }

  /// A load of a data item to a processor started, ended, or it left. Telling it twice changes
  /// nothing.
  void on_loaded(ProcessorId processor, Index data);
  void on_arrived(ProcessorId processor, Index data);
  void on_evicted(ProcessorId processor, Index data);
  [[nodiscard]] bool holds(ProcessorId processor, Index data) const {
    return list(processor).states[data] == State::held;
  }

  /// Calls visit(data) for the first `count` data, in the order in which they were requested, whose
  /// request has not been served and that a task in view still reads. O(1) amortised over the
  /// inputs, where tasks that read a data item do not all leave the list before it is loaded.
  template <typename Visit>
  void for_each_request(ProcessorId processor, std::size_t count, Visit&& visit) {
    List& at = list(processor);
    const auto open = [&](std::size_t i) {
      const Index data = at.requests[i];
      return at.states[data] == State::requested && at.latest_request[data] == i;
    };
    while (at.served < at.requests.size() && !open(at.served)) ++at.served;
    for (std::size_t i = at.served; i < at.requests.size() && count > 0; ++i) {
      const Index data = at.requests[i];
      if (!open(i) || at.uses_left[data] == 0) continue;
      visit(data);
      --count;
    }
  }

  /// Moves half (rounded up) of the list that has most left, from its tail, to the end of the
  /// thief's, in the same order. Of equal lists the lowest processor's is robbed, never the
  /// thief's own. By flops: of the list with most flops the shortest tail that has half of them.
  /// @return whether anything was moved
  bool steal(ProcessorId thief, Half half = Half::tasks);

  /// A task starts on the processor: it touches what it reads and what it writes.
  void on_started(ProcessorId processor, Index task);

  /// What is on the processor or on its way, by where in the list it is read next. Kept from the
  /// first call on, which takes O(data log data).
  const NextUses& next_uses(ProcessorId processor);

  /// Where in the list the first task stands that reads a data item, or none. Positions of one
  /// processor compare; they do not change while tasks leave, and their gaps mean nothing.
  /// Amortised O(1) over the inputs listed.
  [[nodiscard]] std::optional<std::uint32_t> next_use(ProcessorId processor, Index data) const;

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();

  /// Of a data item on a processor: nobody has asked for it; its request is open; it is on its way;
  /// it is there; it was, and left.
  enum class State : std::uint8_t { unknown, requested, loading, held, evicted };

  /// Where a listed task stands: its list (or `none`), its position there, its neighbours.
  struct Place {
    Index owner = none;
    Index position = 0;
    Index previous = none;
    Index next = none;
  };

  /// The positions at which a data item is read, ascending. Those before `next` have left the list;
  /// others may have.
  struct Uses {
    std::vector<Index> positions;
    mutable std::size_t next = 0;  ///< what it passes has left for good
  };

  struct List {
    explicit List(std::size_t data)
        : states(data, State::unknown),
          uses_left(data, 0),
          latest_request(data, 0),
          touched(data, 0) {}

    std::vector<Index> tasks;                 ///< by position, those that left included
    std::vector<char> left;                   ///< by position: whether the task has left
    std::vector<State> states;                ///< by data
    std::vector<Index> uses_left;             ///< by data: tasks in view that read it
    std::vector<Index> requests;              ///< data in the order in which tasks came in view
    std::vector<std::size_t> latest_request;  ///< by data: where in `requests`
    std::size_t served = 0;                   ///< requests before this one are served
    Index first = none;
    Index last = none;
    Index unseen = none;  ///< the first task that is not in view
    std::size_t size = 0;
    std::size_t seen = 0;
    double work = 0;
    std::vector<Uses> uses;              ///< by data; empty until a task comes
    std::vector<std::uint64_t> touched;  ///< by data: when it was loaded or a task started with it
    std::uint64_t touches = 0;
    std::optional<NextUses> held;                        ///< once it is asked for
    std::optional<ReadiestTask<MissingBytes>> readiest;  ///< likewise; at the same positions
  };

  [[nodiscard]] const List& list(ProcessorId processor) const { return lists_[raw(processor)]; }
  [[nodiscard]] List& list(ProcessorId processor) { return lists_[raw(processor)]; }
  [[nodiscard]] std::optional<ProcessorId> victim(ProcessorId thief, Half half) const;
  /// The first position at which the data is read, or NextUses::unread.
  static Index first_use(const List& list, Index data);
  static void touch(List& list, Index data);
  /// Brings tasks in view until it is full.
  void look_on(List& list);
  [[nodiscard]] bool in_view(const List& list, Index task) const {
    return list.unseen == none || places_[task].position < places_[list.unseen].position;
  }
  [[nodiscard]] Index readiest(List& list, std::size_t among) const;
  /// What a task lacks of a data item in this state.
  [[nodiscard]] MissingBytes missing_of(State state, Index data) const;
  [[nodiscard]] MissingBytes missing_of(const List& list, Index task) const;
  void keep_readiest(List& list) const;
  /// The data is in another state now: what the tasks of the list lack changes.
  void enter(List& list, Index data, State state);

  const TaskGraph* graph_;
  Requests requests_;
  std::size_t view_;
  std::vector<Place> places_;  ///< by task
  std::vector<List> lists_;    ///< by processor
};

}  // namespace damocles
