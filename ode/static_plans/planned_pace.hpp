// When a static schedule whose loads are counted ends.

#pragma once

#include <cstdint>
#include <vector>

#include "ode/static_plans/planned_loads.hpp"

namespace damocles {

/// When tasks run.
struct PlannedPace {
  std::vector<double> starts_s;  ///< by task
  double makespan_s = 0;         ///< when the last task ends, or what the run waits for returned
};

/// Each processor runs its list in order. It takes a task when that is ready and its buffer has
/// room, and then asks for what the task loads: for one task at a time, once what it loads for
/// those before has come. A modified data item that lies elsewhere goes to host memory first.
/// Transfers of a processor in one direction follow each other; all that flow share the bus fairly,
/// none faster than its link. A task starts when its loads have come and the one before has ended.
/// O((tasks + waits + loads) processors).
/// @param draw  which draw of the jitter, from 0
[[nodiscard]] PlannedPace planned_pace(const PlannedRun& run, const PlannedLoads& counted,
                                       std::uint64_t draw = 0);

}  // namespace damocles
