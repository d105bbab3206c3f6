#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/explain/run_schedule.hpp"

namespace damocles {

/// What a processor waits for while it computes nothing.
enum class IdleReason : std::uint8_t {
  start_up,      ///< the inputs of its first task
  transfer,      ///< inputs on their way from host memory
  shared_bus,    ///< the same, while another processor's copies use the bus too for most of it
  from_peer,     ///< inputs on their way from another processor
  no_room,       ///< inputs that could not be prefetched: two tasks' data exceed the memory
  late_request,  ///< inputs that were requested only when the task before had ended
  peer_write,    ///< inputs that another processor wrote, and that had to return to host memory
  dependency,    ///< tasks that come before
  write_back,    ///< room, until what lay there was in host memory
  imbalance,     ///< a task, as other processors hold all that are ready
  decision,      ///< the strategy, or the start of a task all of whose inputs are there
  end,           ///< the end of the run: all tasks have started
};
inline constexpr std::size_t idle_reasons = 12;
inline constexpr std::array<std::string_view, idle_reasons> idle_reason_names{
    "start-up",   "transfer",   "shared bus", "from peer", "no room",  "late request",
    "peer write", "dependency", "write-back", "imbalance", "decision", "end"};

/// The idle time of one processor by reasons [s]; with its computing time it sums to the makespan.
using IdleShares = std::array<double, idle_reasons>;

/// Cuts each gap between two tasks of a processor at what it waited for, in the order in which one
/// thing could begin only after the other: dependencies, the request of the last input, its
/// transfer, then the start.
///
/// @param events  those of the schedule: grants tell whether a processor had a task
/// @return shape (p)
[[nodiscard]] std::vector<IdleShares> idle_time(const std::vector<RunEvent>& events,
                                                const RunSchedule& run);

}  // namespace damocles
