#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"

namespace damocles {

/// What was decided in a run, so that it can be run again: the loads, evictions, returns and task
/// starts of every processor, and the ends that they waited for.
///
/// Within a processor the order counts: replaying waits at each end until that load, return or task
/// has ended, so it moves the same data into the same memory, however long things take. Of what
/// happened on different processors only that order is kept which decides what is computed and
/// moved (RecordedOrder): who waits for whom, what is done to one data item, and what was decided
/// when something ended elsewhere. As the whole of it is an order in which all could be done, none
/// of these waits can go in a circle.
struct Decisions {
  std::size_t processors = 0;
  std::vector<RunEvent> events;  ///< Kind::granted may be left out
};

/// Follows the decisions one by one, as if each load, return and task took no time but that until
/// its end.
///
/// @param platform      who computes in host memory, which processors have links, who runs what
/// @param memory_bytes  of each processor [B], shape (p)
/// @param data_bytes    size of a data item [B]
/// @throws InvalidInput if p is not the decisions' number of processors; else naming the first
/// decision that cannot be carried out: an unknown processor, task or data; a load of what is
/// there, does not fit, or is not valid where it should come from; an eviction of what is absent,
/// in use or nowhere else; a return of what host memory has; a task without its inputs as they are
/// now, before one that it waits for, beside one that writes the same, on a processor that cannot
/// run it, twice or never; an end of what did not start; or the data that are lost in the end
void check_decisions(const Decisions& decisions, const Workload& workload, const Platform& platform,
                     const std::vector<std::uint64_t>& memory_bytes,
                     const std::function<std::uint64_t(DataId)>& data_bytes);

}  // namespace damocles
