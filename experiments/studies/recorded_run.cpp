#include "experiments/studies/recorded_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

#include "experiments/studies/rows.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "sim/limited_run.hpp"

namespace damocles {
namespace {

/// Whether tasks put out something apart from the data that they write.
bool has_outputs(const Workload& workload) {
  const TaskGraph& graph = workload.graph();
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    if (graph.output_bytes(task) > 0) return true;
  }
  return false;
}

/// The files among a row's inputs, each as `workload=DIGEST`, by what names it.
std::vector<std::string> file_digests(const std::string& inputs) {
  std::vector<std::string> result;
  std::istringstream words(inputs);
  for (std::string word; words >> word;) {
    if (!word.starts_with("scheduling=")) result.push_back(word);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// The digest in the first of `some` that `others` lack, if that has the role; or "none".
std::string digest_of(const std::string& role, const std::vector<std::string>& some,
                      const std::vector<std::string>& others) {
  for (const std::string& word : some) {
    const bool shared = std::find(others.begin(), others.end(), word) != others.end();
    if (!shared && word.starts_with(role + "=")) return word.substr(role.size() + 1);
  }
  return "none";
}

}  // namespace

void leave_out_times(Record& record) {
  record.makespan_s.reset();
  record.makespan_lower_bound_s.reset();
  record.makespan_ratio.reset();
  record.gflops.reset();
  record.busy_fraction.reset();
  record.energy_j.reset();
  record.planned_makespan_s.reset();
  record.kernel_times.clear();
}

std::vector<std::uint64_t> recorded_loads(const Decisions& decisions) {
  std::vector<std::uint64_t> loads(decisions.processors, 0);
  for (const RunEvent& event : decisions.events) {
    if (event.kind == RunEvent::Kind::load_started && raw(event.processor) < loads.size()) {
      ++loads[raw(event.processor)];
    }
  }
  return loads;
}

std::string unrecorded(const Workload& workload, const MachineModel& machine) {
  std::vector<std::string> parts;
  if (machine.write_back && has_outputs(workload))
    parts.emplace_back("outputs on their way to host memory");
  if (machine.request_s > 0) parts.emplace_back("loads that a task waits for (request=)");
  if (machine.decision_s > 0) parts.emplace_back("decisions (decision=)");
  return fmt::format("{}", fmt::join(parts, " and "));
}

void check_loads(const Recording& recording) {
  const auto loads = recorded_loads(recording.decisions);
  const auto all = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (*recording.record.loads == static_cast<double>(all)) return;
  throw InvalidInput(fmt::format("\"loads\" is {}, but {} decisions load; record it again",
                                 *recording.record.loads, all));
}

Experiment experiment_of(const Recording& recording) {
  const Record& record = recording.record;
  const UnitsOptional as_recorded;
  Experiment experiment{.workload = Workload::parse(record.workload),
                        .scenario = Scenario::parse(record.platform),
                        .strategies = {record.strategy},
                        .seed = *record.seed};
  experiment.scenario = experiment.scenario.for_tasks_of(experiment.workload);
  if (recording.decisions.processors != experiment.scenario.processors()) {
    throw InvalidInput(fmt::format("the recording has {}, but its platform '{}' has {}",
                                   counted(recording.decisions.processors, "processor"),
                                   record.platform, experiment.scenario.processors()));
  }
  return experiment;
}

void check_inputs(const Recording& recording, const Experiment& experiment) {
  const Record& record = recording.record;
  const ResolvedStrategy planned = resolve_strategy(record.strategy, experiment);
  const auto then = file_digests(record.inputs);
  const auto now = file_digests(make_record(experiment, planned, *record.replicate).inputs);
  if (then == now) return;
  const std::vector<std::pair<std::string, std::string>> roles{
      {"workload", fmt::format("workload '{}'", record.workload)},
      {"platform", fmt::format("platform '{}'", record.platform)},
      {"times", fmt::format("platform '{}'", record.platform)},
      {"placement", fmt::format("strategy '{}'", record.strategy)}};
  for (const auto& [role, who] : roles) {
    const std::string recorded = digest_of(role, then, now);
    const std::string found = digest_of(role, now, then);
    if (recorded == found) continue;
    throw InvalidInput(fmt::format(
        "{} was recorded with another file of {}: its digest was {}, now it is {}; put that file back, or record the run again",
        who, role, recorded, found));
  }
  throw InvalidInput(fmt::format(
      "\"inputs\" is '{}', which names no files as a recording does; record the run again",
      record.inputs));
}

Executed simulate_again(const Experiment& experiment, const Recording& recording) {
  const Platform platform = experiment.scenario.draw(experiment.seed, *recording.record.replicate);
  if (!platform.machine) {
    throw InvalidInput(
        "--backend sim replays platforms of limited memory only; use --backend host");
  }
  const ResolvedStrategy planned = resolve_strategy(recording.record.strategy, experiment);
  const TaskGraph& graph = experiment.workload.graph();
  check_decisions(recording.decisions, experiment.workload, platform,
                  memory_bytes(*platform.machine, experiment.workload), [&](DataId data) {
                    return graph.bytes(static_cast<TaskGraph::Index>(raw(data)));
                  });
  check_loads(recording);
  Executed result;
  result.execution.trace =
      replay_limited(experiment.workload, platform, recording.decisions, experiment.seed,
                     *recording.record.replicate,
                     [&](const RunEvent& event) { result.execution.events.push_back(event); });
  result.record = simulated_record(experiment, planned, platform, *recording.record.replicate,
                                   result.execution.trace);
  if (!unrecorded(experiment.workload, *platform.machine).empty()) {
    // Volumes are the recorded ones; times are those of this platform or none.
    leave_out_times(result.record);
    if (platform.machine->write_back && has_outputs(experiment.workload)) {
      result.record.bytes_written.reset();
    }
  }
  return result;
}

}  // namespace damocles
