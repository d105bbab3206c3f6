// A memory that is loaded ahead of its processor: what the buffered tasks read is spared.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ode/limited_memory/farthest_use.hpp"
#include "ode/limited_memory/recency_list.hpp"
#include "ode/limited_memory/task_loads.hpp"

namespace damocles {

/// A memory that evicts the least recently used data item: that was loaded, or read by a task that
/// started, the longest ago. With next uses it evicts the one that is used next the farthest ahead.
///
/// Loads of the next task may replace all that neither it nor the running task reads; other loads
/// only what no buffered task reads. So on lists whose data items hardly fit, a deep buffer loads
/// less than a memory that looks at one task at a time. Callers say how many of the tasks taken
/// have not ended; inputs of a task are requested when those of all tasks before have come.
class BufferedMemory {
 public:
  using Index = TaskGraph::Index;
  enum class Evicts { least_recently_used, used_farthest_ahead };

  /// @param run  outlives it
  explicit BufferedMemory(const LimitedRun& run, Evicts evicts = Evicts::least_recently_used)
      : run_(&run), held_(run.data()), marks_(run.data(), 0) {
    if (evicts == Evicts::used_farthest_ahead) by_next_use_.emplace(run.data());
  }

  /// When a data item is used next; never at first. @pre next uses decide what is evicted
  void set_next_use(Index item, Index use);

  /// A task enters the buffer.
  void take(Index task) { taken_.push_back(task); }
  /// Loads what the first task lacks whose inputs were not requested; nothing: there is no room
  /// until a task ends. @pre there is one
  std::optional<TaskLoads> request(std::size_t unfinished);
  /// Whether there is room for a data item that no buffered task waits for. With next uses it may
  /// replace only what is used no more.
  [[nodiscard]] bool has_room_ahead(std::size_t unfinished);
  [[nodiscard]] bool holds(Index item) const { return held_.holds(item); }
  /// Loads it. @pre has_room_ahead(unfinished), and it is not held
  void load_ahead(Index item, std::size_t unfinished);

 private:
  struct NextUses {
    explicit NextUses(std::size_t data) : held(data), of(data, FarthestUse::never) {}
    FarthestUse held;
    std::vector<Index> of;  // by data item
  };

  [[nodiscard]] std::size_t ended(std::size_t unfinished) const {
    return taken_.size() - unfinished;
  }
  [[nodiscard]] std::optional<Index> first_unmarked();
  void add(Index item);
  void start_tasks(std::size_t unfinished);
  std::size_t mark_inputs(std::size_t from, std::size_t to);
  void make_room();

  const LimitedRun* run_;
  TaskSequence taken_;
  std::size_t requested_ = 0;  // of these, so many had their inputs requested
  std::size_t started_ = 0;
  RecencyList held_;
  std::optional<NextUses> by_next_use_;
  std::vector<std::size_t> marks_;  // by data item: the last round in which it was marked
  std::size_t round_ = 0;
};

}  // namespace damocles
