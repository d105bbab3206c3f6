#pragma once

#include <vector>

#include "models/ids.hpp"
#include "models/task_list.hpp"

namespace damocles {

/// What a processor that asked for work is sent, and what it computes with it, in this order.
struct Grant {
  std::vector<DataId> loads;
  TaskList tasks;

  void clear() {
    loads.clear();
    tasks.clear();
  }
};

/// A scheduling strategy: simulator and executor drive it by this interface alone.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// `processor` is idle and asks. The caller owns, clears and reuses `grant`. A grant with data
  /// but no task is answered by asking again at once; an empty one means: nothing for you, now or
  /// (if no task is pending anywhere) ever.
  virtual void request(ProcessorId processor, Grant& grant) = 0;
};

}  // namespace damocles
