#include "experiments/explain/explained_recording.hpp"

#include <fmt/format.h>

#include "experiments/studies/recorded_run.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {

ExplainedRun explained_recording(const std::string& file, const RecordingUse& use) {
  const Recording recording = read_recording(file);
  const Experiment experiment = naming(file, [&] { return experiment_of(recording); });
  use.check(experiment);
  naming(file, [&] { check_inputs(recording, experiment); });
  if (!experiment.scenario.machine()) {
    throw InvalidInput(fmt::format("recording '{}' is of a platform of unlimited memory; {}", file,
                                   use.instead(recording.record)));
  }
  Executed again = naming(file, [&] { return simulate_again(experiment, recording); });
  again.record.source = recording.record.source;
  const Platform platform = experiment.scenario.draw(experiment.seed, *recording.record.replicate);
  if (recording.measured) {
    leave_out_times(again.record);  // those of the platform
    again.record.makespan_s = recording.record.makespan_s;
    return {experiment.workload, platform, again.record, recording.decisions.events, true};
  }
  // Of the events, as the row has no times where the platform has some that no recording holds.
  again.record.makespan_s = again.execution.trace.makespan_s;
  return {experiment.workload, platform, again.record, std::move(again.execution.events)};
}

std::string words_on_times(const Record& record, bool measured) {
  if (record.source != "executed") return "";
  return measured
             ? "Times are those measured when the run was executed."
             : "The run was executed, but its recording has no measured times: times are those "
               "of the same decisions, simulated.";
}

std::string same_request(const Record& record) {
  const std::uint64_t seed = record.seed.value_or(1);
  return fmt::format("{} {} --strategies {}{}", record.workload, record.platform, record.strategy,
                     seed == 1 ? "" : fmt::format(" --seed {}", seed));
}

}  // namespace damocles
