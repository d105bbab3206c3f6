#pragma once

#include <limits>
#include <vector>

#include "ode/limited_memory/counted_loads.hpp"

namespace damocles {

/// When the last task ends [s] where the tasks of each processor load so many data items each:
/// inputs are asked for when the task enters the buffer, the transfers of a processor follow each
/// other, those of several share the bus evenly, and each task starts when its inputs have come and
/// the one before has ended.
/// @param loads  of each task by processor, shape (processors)(tasks)
/// @param tasks  of all processors, from one queue: so many of the lists are taken, as they have
///               room
[[nodiscard]] double paced_makespan_s(const LimitedRun& run, const std::vector<LoadsByTask>& loads,
                                      std::size_t tasks = std::numeric_limits<std::size_t>::max());
/// The same where loads are spread evenly over tasks and processors: the longer of computing and
/// transferring, after the first task's inputs and its own time.
[[nodiscard]] double steady_makespan_s(const LimitedRun& run, double loads);

}  // namespace damocles
