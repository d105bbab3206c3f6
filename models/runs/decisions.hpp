#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/runs/trace.hpp"
#include "models/workload.hpp"

namespace damocles {

/// What was decided in a run, so that it can be run again: the loads, evictions and task starts of
/// every processor, and the ends that they waited for.
///
/// The order within a processor is what counts: replaying waits at each end until that load or task
/// has ended, so it moves the same data into the same memory, however long things take.
struct Decisions {
  std::size_t processors = 0;
  std::vector<RunEvent> events;  ///< Kind::granted may be left out
};

/// @param memory_bytes  of each processor [B], shape (p)
/// @param data_bytes    size of a data [B]
/// @throws InvalidInput if p is not the decisions' number of processors; else naming the first
/// decision that cannot be carried out: an unknown processor, task or data; a load of what is there
/// or does not fit; an eviction of what is absent or in use; a task without its inputs, run twice
/// or never; an end of what did not start
void check_decisions(const Decisions& decisions, const Workload& workload,
                     const std::vector<std::uint64_t>& memory_bytes,
                     const std::function<std::uint64_t(DataId)>& data_bytes);

}  // namespace damocles
