#pragma once

#include "models/platforms/memory_limits.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/decisions.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Whether deciding takes virtual time.
enum class Scheduling { free, charged };

/// What a run has done so far, to look at while it goes on.
struct RunSoFar {
  const Trace* trace = nullptr;
  const double* now_s = nullptr;  ///< virtual time [s]
};

/// One run in virtual time on processors with limited memory that share a bus.
///
/// Decisions are those of MemoryAwareRuntime. Loads are counted when they start. At one time
/// transfers end before tasks do, and ties break by processor id.
///
/// @param seed, replicate  with the strategy's options, all that the run depends on, unless
/// @param charge  adds the wall time that strategy and eviction policy take to the virtual time:
///                what making the strategy takes before the start, what serving a processor takes
///                to its next task
/// @param so_far  told, before the first decision, where it can be looked at until the run ends; a
///                run that is looked at does not wait for memory of this computer that others hold
/// @throws InvalidInput if the workload has no sizes, or a task's inputs (and its output, where
///         outputs are written back) exceed a processor's memory
/// @throws NoProgress if the strategy stops granting before every task ran
/// Source: IPDPS'22 section III; the buffer is its taskBuffer.
[[nodiscard]] Trace simulate_limited(const Workload& workload, const Platform& platform,
                                     const StrategyChoice& strategy, std::uint64_t seed,
                                     std::uint64_t replicate, const Watcher& watcher = {},
                                     Scheduling charge = Scheduling::free,
                                     RunSoFar* so_far = nullptr);

/// The same platform carrying out recorded decisions; outputs apart from data are not written back.
/// A processor that was recorded with several tasks on its compute engine computes them one after
/// the other. No load counts as on demand. What simulate_limited() recorded on a platform on which
/// neither these nor decisions take time comes again event for event.
/// @param seed, replicate  of the jitter
/// @pre the decisions passed check_decisions()
/// @throws InvalidInput as simulate_limited
[[nodiscard]] Trace replay_limited(const Workload& workload, const Platform& platform,
                                   const Decisions& decisions, std::uint64_t seed,
                                   std::uint64_t replicate, const Watcher& watcher = {});

}  // namespace damocles
