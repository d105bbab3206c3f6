// What tasks pass to each other: who reads what whom wrote.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// The bytes that pass from task to task: a task that reads a data item gets it from the tasks that
/// wrote it last before.
///
/// This follows from accesses alone, not from who waits for whom. A wait that passes nothing is
/// only an order. And what passes need not have a wait of its own: a task that overwrites what
/// others read waits for these, and so for the one that wrote it.
class DataFlow {
 public:
  using Index = TaskGraph::Index;
  struct Passed {
    Index from = 0;
    std::uint64_t bytes = 0;  ///< of all data items that pass

    friend bool operator==(const Passed&, const Passed&) = default;
  };

  explicit DataFlow(const TaskGraph& graph);

  /// What the task gets from others, by their ids.
  [[nodiscard]] std::span<const Passed> into(Index task) const {
    if (begin_.empty()) return {};
    return {passed_.data() + begin_[task], passed_.data() + begin_[task + 1]};
  }
  [[nodiscard]] std::uint64_t bytes(Index from, Index to) const;

 private:
  std::vector<std::uint64_t> begin_;  // by task; empty where no task writes
  std::vector<Passed> passed_;
};

}  // namespace damocles
