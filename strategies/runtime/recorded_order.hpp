#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/decisions.hpp"
#include "models/workload.hpp"

namespace damocles {

/// What of the order of recorded decisions holds across processors: what each waits for that
/// happened elsewhere, beside what is before it on its own processor.
///
/// - Tasks, and their grants, wait for those that they depend on.
/// - Of what is done to one data item the order is kept, except among what does not matter to each
///   other: loads, evictions, and tasks that read in host memory; or tasks that reduce into it, and
///   their sums on the way to host memory. So every load, return and task meets the version that it
///   met when it was recorded, and tasks that commute take their turns in the recorded order.
/// - A task waits for those that join it, and they leave when it has ended.
/// - A load over a link waits until its lender has the data, and the lender's eviction for the
/// load.
/// - Where memory is limited, an order waits for the end that it answered: the last before it.
///   There MemoryAwareRuntime decided, which decides nothing without an answer; what became
///   possible elsewhere is not known before. (Where memory is unlimited, simulated runs tell of a
///   grant's ends at once.)
///
/// All of these are before it in the recorded order, so that none can wait in a circle. Time and
/// memory are linear in the decisions, and in the dependencies.
class RecordedOrder {
 public:
  using Event = std::size_t;  ///< its place among the decisions
  using Key = std::size_t;    ///< of what may be waited for

  /// All outlive it. @pre the decisions passed check_decisions()
  RecordedOrder(const Decisions& decisions, const Workload& workload, const Platform& platform);

  /// Something that the decision still waits for; it will be among what happened() visits.
  [[nodiscard]] std::optional<Key> awaited(Event event) const;

  /// The decision was carried out, or what ends has ended: calls visit(key) for all that is no
  /// longer waited for.
  template <typename Visit>
  void happened(Event event, Visit&& visit) {
    happened_[event] = true;
    visit(Key{event});
    if (waits_ && decisions_.events[event].kind == RunEvent::Kind::task_ended) {
      end_task(static_cast<Index>(decisions_.events[event].id), visit);
    }
    for_each_touch(event, [&](Index data, std::uint32_t group) {
      Uses& uses = uses_[data];
      --uses.left[group];
      while (uses.over < uses.left.size() && uses.left[uses.over] == 0) ++uses.over;
      visit(of_data(data));
    });
  }

 private:
  using Index = TaskGraph::Index;

  /// How an event has to do with a data item. Those of one way follow each other in any order, but
  /// no two that change it.
  enum class Way : std::uint8_t { reads, adds, changes };

  /// What is done to one data item: groups one after the other, each of one way.
  struct Uses {
    std::vector<std::uint32_t> left;  // of each group: events that have not happened
    std::size_t over = 0;             // so many groups are over, and all before them
    Way way = Way::changes;           // of the last group
  };

  void order_data(Event event);
  void touch(Index data, Way way);
  void order_loans(Event event);
  void order_answers(Event event);
  void order_teams(Event event);
  template <typename Visit>
  void end_task(Index task, Visit&& visit) {
    waits_->ended(task, [&](Index later) { visit(of_task(later)); });
  }

  /// Calls visit(data, way) for all data of which the event changes or needs what others have.
  template <typename Visit>
  void for_each_way(const RunEvent& event, Visit&& visit) const;
  /// Calls visit(data, group) for the same.
  template <typename Visit>
  void for_each_touch(Event event, Visit&& visit) const {
    if (touch_begin_.empty()) return;
    for (std::size_t at = touch_begin_[event]; at < touch_begin_[event + 1]; ++at) {
      visit(touches_[at].first, touches_[at].second);
    }
  }
  [[nodiscard]] bool in_host_memory(ProcessorId processor) const {
    return platform_.machine && platform_.machine->processors[raw(processor)].in_host_memory;
  }
  [[nodiscard]] Key of_data(Index data) const { return happened_.size() + data; }
  [[nodiscard]] Key of_task(Index task) const { return happened_.size() + workload_.data() + task; }

  const Decisions& decisions_;
  const Workload& workload_;
  const Platform& platform_;
  std::vector<bool> happened_;
  std::optional<Countdown> waits_;                // where tasks wait for others
  std::vector<std::pair<Event, Event>> answers_;  // (decision, what it waits for), in order
  // Where tasks write:
  std::vector<Uses> uses_;                                // by data
  std::vector<std::size_t> touch_begin_;                  // by event
  std::vector<std::pair<Index, std::uint32_t>> touches_;  // data and group

  // While it is made:
  static constexpr Event none = std::numeric_limits<Event>::max();
  using Copy = std::pair<ProcessorId, std::uint64_t>;
  Event last_end_ = none;
  std::map<std::uint64_t, std::vector<Event>> joins_;  // by task: those who joined it
  std::vector<Event> answered_;                        // by each processor, last
  std::set<Copy> sums_;                                // until they are evicted, in host memory
  std::map<Copy, Event> arrived_;                      // where there are links: copies
  std::map<Copy, ProcessorId> lenders_;                // of loads on their way
  std::map<Copy, std::vector<Event>> loans_;           // ends of the loads from each copy
};

}  // namespace damocles
