#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/runs/trace.hpp"

namespace damocles {

/// A task being computed or a data item being copied [s].
struct Activity {
  double start_s;
  double end_s;
  std::uint64_t id;  ///< of the task or data

  friend bool operator==(const Activity&, const Activity&) = default;
};

/// A copy of a data item leaves the memory: it was evicted, or a write elsewhere invalidated it.
struct EvictionTime {
  double time_s = 0;
  std::uint64_t data = 0;
  bool invalidated = false;
  /// Of an eviction, the data item that got the room: the next one that was loaded or made there.
  std::optional<std::uint64_t> room_for{};

  friend bool operator==(const EvictionTime&, const EvictionTime&) = default;
};

/// Why a processor computes nothing.
enum class WaitReason {
  data,   ///< it was granted a task, and the one that starts next lacks an input
  start,  ///< of that one all inputs are there: a thread that wakes late, a decision, no room for
          ///< its output
  work,   ///< it was granted none
};

struct Wait {
  double start_s;
  double end_s;
  WaitReason reason;

  friend bool operator==(const Wait&, const Wait&) = default;
};

/// What one processor did when; each list in order of time. Tasks and waits fill the run; copies
/// may overlap each other.
struct ProcessorTimeline {
  std::vector<Activity> tasks;
  std::vector<Activity> copies;
  std::vector<EvictionTime> evictions;
  std::vector<Wait> waits;
};

/// The data that a task reads, by their numbers.
using TaskInputs = std::function<std::vector<std::uint64_t>(std::uint64_t task)>;

/// One run, taken apart, shape (p).
///
/// @param inputs  of each task; where there are none to tell, all waits with a task are for data
///
/// Events may be slightly out of order in time, as long as what starts is told of before it ends.
/// What never ended, as where a run failed, ends with the run. Waits end with the makespan.
/// @throws InvalidInput if an event names a processor that is not there, or ends what did not start
[[nodiscard]] std::vector<ProcessorTimeline> timeline(const std::vector<RunEvent>& events,
                                                      std::size_t processors, double makespan_s,
                                                      const TaskInputs& inputs = {});

/// For each activity, the first lane free by its start: those of one lane do not overlap. Lanes
/// from 0.
/// @pre the activities are in order of their starts
[[nodiscard]] std::vector<std::size_t> lanes(const std::vector<Activity>& activities);

/// Where one processor's time went [s]: compute + waiting for data + starting + no work = makespan.
struct TimeShare {
  double compute_s = 0;
  double copy_s = 0;  ///< at least one copy under way
  double waiting_for_data_s = 0;
  double starting_s = 0;
  double no_work_s = 0;
};

struct RunSummary {
  std::vector<TimeShare> processors;  ///< shape (p)
  /// Share of the copy time of all processors in which the same processor computes, in [0, 1];
  /// nothing where copies take no time.
  std::optional<double> overlap;
};

[[nodiscard]] RunSummary summarise_run(const std::vector<ProcessorTimeline>& processors);

}  // namespace damocles
