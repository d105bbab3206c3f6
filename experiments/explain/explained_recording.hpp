#pragma once

#include <functional>
#include <string>

#include "experiments/explain/explanation.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What a command asks of a recording, and says of one that it cannot show.
struct RecordingUse {
  std::function<void(const Experiment&)> check;       ///< throws before anything runs
  std::function<std::string(const Record&)> instead;  ///< what to do where memory is unlimited
};

/// A recorded run: with the times that were measured where the recording has them, else carried out
/// again in virtual time, with all its events. Its record has the source of the recorded one.
/// @throws InvalidInput naming the file, where that cannot be done
[[nodiscard]] ExplainedRun explained_recording(const std::string& file, const RecordingUse& use);

/// Which times an executed run shows, as a sentence; "" for a simulated one.
[[nodiscard]] std::string words_on_times(const Record& record, bool measured);

/// The same run as words of a command: "WORKLOAD PLATFORM --strategies NAME", with its seed.
[[nodiscard]] std::string same_request(const Record& record);

}  // namespace damocles
