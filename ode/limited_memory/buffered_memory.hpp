// A memory that is loaded ahead of its processor: what the buffered tasks read is spared.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ode/limited_memory/counted_loads.hpp"
#include "ode/limited_memory/recency_list.hpp"

namespace damocles {

/// A memory that evicts the least recently used data item: that was loaded, or read by a task that
/// started, the longest ago.
///
/// Loads of the next task may replace all that neither it nor the running task reads; other loads
/// only what no buffered task reads. So on lists whose data items hardly fit, a deep buffer loads
/// less than LruMemory says. Callers say how many of the tasks taken have not ended; inputs of a
/// task are requested when those of all tasks before have come.
class BufferedMemory {
 public:
  using Index = TaskGraph::Index;

  /// @param run  outlives it
  explicit BufferedMemory(const LimitedRun& run)
      : run_(&run), held_(run.data()), marks_(run.data(), 0) {}

  /// A task enters the buffer.
  void take(Index task) { taken_.push_back(task); }
  /// Loads what the first task lacks whose inputs were not requested; nothing: there is no room
  /// until a task ends. @pre there is one
  std::optional<TaskLoads> request(std::size_t unfinished);
  /// Whether there is room for a data item that no buffered task waits for.
  [[nodiscard]] bool has_room_ahead(std::size_t unfinished);
  [[nodiscard]] bool holds(Index item) const { return held_.holds(item); }
  /// Loads it. @pre has_room_ahead(unfinished), and it is not held
  void load_ahead(Index item, std::size_t unfinished);

 private:
  [[nodiscard]] std::size_t ended(std::size_t unfinished) const {
    return taken_.size() - unfinished;
  }
  void start_tasks(std::size_t unfinished);
  std::size_t mark_inputs(std::size_t from, std::size_t to);
  void make_room();

  const LimitedRun* run_;
  TaskSequence taken_;
  std::size_t requested_ = 0;  // of these, so many had their inputs requested
  std::size_t started_ = 0;
  RecencyList held_;
  std::vector<std::size_t> marks_;  // by data item: the last round in which it was marked
  std::size_t round_ = 0;
};

}  // namespace damocles
