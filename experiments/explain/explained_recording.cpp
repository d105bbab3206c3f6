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
  // Of the events, as the row has no times where the platform has some that no recording holds.
  again.record.makespan_s = again.execution.trace.makespan_s;
  again.record.source = recording.record.source;
  return {experiment.workload,
          experiment.scenario.draw(experiment.seed, *recording.record.replicate), again.record,
          std::move(again.execution.events)};
}

std::string same_request(const Record& record) {
  const std::uint64_t seed = record.seed.value_or(1);
  return fmt::format("{} {} --strategies {}{}", record.workload, record.platform, record.strategy,
                     seed == 1 ? "" : fmt::format(" --seed {}", seed));
}

}  // namespace damocles
