#pragma once

#include <cstdint>
#include <vector>

#include "experiments/explain/run_schedule.hpp"

namespace damocles {

/// One link of the chain that the end of a run waited for.
struct PathLink {
  enum class Kind : std::uint8_t { task, task_on_core, transfer, write_back };
  Kind kind;
  double start_s;
  double end_s;
  std::uint32_t processor;
  std::uint64_t id;  ///< of the task, or of the data item that travels
};

/// The critical path of a run, in order of time, and how long each kind of link takes on it.
/// All sums to the makespan.
struct CriticalPath {
  std::vector<PathLink> links;
  double task_s = 0;
  double task_on_core_s = 0;
  double transfer_s = 0;
  double write_back_s = 0;
  double waiting_s = 0;  ///< between two links, for what events do not tell
  double end_s = 0;      ///< after the last task: what returns to host memory
};

/// From the last task back, always to what ended last of all that it waited for: the task before on
/// its processor, a task that it depends on, the last load of an input, a return that made room.
/// Of a load, to what ended when it was requested.
[[nodiscard]] CriticalPath critical_path(const RunSchedule& run);

}  // namespace damocles
