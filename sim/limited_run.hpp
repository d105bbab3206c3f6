#pragma once

#include "models/platform.hpp"
#include "models/trace.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Whether deciding takes virtual time.
enum class Scheduling { free, charged };

/// One run in virtual time on processors with limited memory that share a bus.
///
/// Each processor has a task buffer (Limits::depth, the running task included). Inputs of buffered
/// tasks are requested in buffer order while earlier tasks compute: those of one task together,
/// those of the next when they have arrived. Before a task runs all its inputs are in memory;
/// inputs of the running and of the next task are never evicted, and a transfer for a later task
/// evicts nothing that a buffered task reads. Loads are counted when they start. At one time
/// transfers end before tasks do, and ties break by processor id.
///
/// A processor asks for a task when its buffer has room; at time 0 all ask for a first
/// task in the order of their ids, then for a second, and so on.
///
/// @param seed, replicate  with the strategy's options, all that the run depends on, unless
/// @param charge  adds the wall time that strategy and eviction policy take to the virtual time:
///                what making the strategy takes before the start, what serving a processor takes
///                to its next task
/// @throws InvalidInput if the workload has no sizes, or a task's inputs (and its output, where
///         outputs are written back) exceed a processor's memory
/// @throws NoProgress if the strategy stops granting before every task ran
/// Source: IPDPS'22 section III; the buffer is its taskBuffer.
[[nodiscard]] Trace simulate_limited(const Workload& workload, const Platform& platform,
                                     const StrategyChoice& strategy, std::uint64_t seed,
                                     std::uint64_t replicate, const Watcher& watcher = {},
                                     Scheduling charge = Scheduling::free);

/// Memory of each processor [B]. @throws InvalidInput if it is given as a number of data and the
/// data have several sizes
[[nodiscard]] std::vector<std::uint64_t> memory_bytes(const Limits& limits,
                                                      const Workload& workload);

}  // namespace damocles
