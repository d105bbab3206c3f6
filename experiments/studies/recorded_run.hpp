// Recorded runs: what was asked then, and the same run again in virtual time.

#pragma once

#include <string>
#include <vector>

#include "experiments/execution/execution.hpp"
#include "experiments/studies/study.hpp"
#include "experiments/traces/decision_files.hpp"
#include "models/error.hpp"

namespace damocles {

/// Loads of each processor among the recorded decisions.
[[nodiscard]] std::vector<std::uint64_t> recorded_loads(const Decisions& decisions);

/// What takes time on the platform, and of which a recording says nothing; or "".
[[nodiscard]] std::string unrecorded(const Workload& workload, const MachineModel& machine);

/// Times of the row: they are of another run, or unknown.
void leave_out_times(Record& record);

/// @throws InvalidInput where the recording does not say how many loads it has. @pre the decisions
/// can be carried out
void check_loads(const Recording& recording);

/// What was asked when the run was recorded. @throws InvalidInput where its platform has another
/// number of processors
[[nodiscard]] Experiment experiment_of(const Recording& recording);

/// Decisions of one graph mean nothing on another.
/// @throws InvalidInput where a file holds something else than when the run was recorded
void check_inputs(const Recording& recording, const Experiment& experiment);

/// The recorded decisions carried out in virtual time, with all events.
/// @throws InvalidInput where they cannot be
[[nodiscard]] Executed simulate_again(const Experiment& experiment, const Recording& recording);

/// Calls use(), and says of the file what is wrong in the recording.
template <typename Use>
auto naming(const std::string& file, Use&& use) {
  try {
    return use();
  } catch (const InvalidInput& error) {
    throw InvalidInput(std::string("recording '") + file + "': " + error.what());
  }
}

}  // namespace damocles
