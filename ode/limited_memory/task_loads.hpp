// What tasks load.

#pragma once

#include <cstdint>
#include <vector>

#include "ode/limited_memory/limited_run.hpp"

namespace damocles {

/// Data items that are loaded for one task of a list.
struct TaskLoads {
  TaskGraph::Index task = 0;  ///< any, where all take the same time
  std::uint32_t needed = 0;   ///< inputs of its own, before which it cannot start
  /// It reads what TaskQueue::load_ahead() loaded last, and starts when that has come.
  bool awaits_ahead = false;
  friend bool operator==(const TaskLoads&, const TaskLoads&) = default;
};
/// Of each task of a list, in the order in which they run.
using LoadsByTask = std::vector<TaskLoads>;

}  // namespace damocles
