#pragma once

#include <vector>

#include "strategies/registry.hpp"

namespace damocles {

/// Allots tasks in the order of submission, each to the processor where it is expected to complete
/// first (IPDPS'22, Algorithm 1, DMDA); ties: the lowest id.
///
/// The paper's Eq. 1 counts the transfer and the task alone; taken literally it would give
/// everything to one processor, whose memory it takes for unlimited. As StarPU does, the work
/// allotted before counts too, and a transfer that fits behind it costs no time of its own but
/// weighs once more, as a penalty on moving data:
///   max(end of what is allotted, transfer) + computing + transfer.
/// @return the tasks of each processor in order
[[nodiscard]] std::vector<std::vector<TaskGraph::Index>> allot_by_completion_time(
    const Setting& setting);

}  // namespace damocles
