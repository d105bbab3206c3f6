#pragma once

#include <string>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"

namespace damocles::simgrid {

/// A run of ours that SimGrid is to make again: what was decided, and on what.
struct Recorded {
  Workload workload;
  Platform platform;
  Durations durations;  ///< of that run
  std::vector<RunEvent> events;
};

/// When each of the events happens in SimGrid, shape as `events`; those that take no time (grants,
/// evictions) have the time of what comes before.
///
/// Every processor has a host, with an actor for its compute engine and one for each of its copy
/// streams, which carry out what they are told one after the other: executions of the host, and
/// communications between it and the host of all data, over two links of its own (one a direction)
/// and the link of its bus, which all share. A dispatcher follows the recorded events: at a start
/// it tells an actor, at an end it waits for it. So each start waits for all ends that were
/// recorded before it, as a decision does, and how long things take is SimGrid's to say.
///
/// All runs are in one simulation, as SimGrid has one a process, on platforms of their own.
///
/// @pre buses are fair, nothing goes between processors but over host memory, the starts are not
/// apart
///      (jitter), and copies cost tasks nothing
[[nodiscard]] std::vector<std::vector<double>> times_in_simgrid(const std::vector<Recorded>& runs);

}  // namespace damocles::simgrid
