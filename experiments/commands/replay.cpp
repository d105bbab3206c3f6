#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/commands/command.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/studies/execution.hpp"
#include "experiments/studies/rows.hpp"
#include "experiments/studies/run_summary.hpp"
#include "experiments/traces/decision_files.hpp"
#include "experiments/traces/trace_files.hpp"
#include "gpu/backend.hpp"
#include "models/error.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "sim/limited_run.hpp"

namespace damocles {
namespace {

constexpr const char* simulator = "sim";

struct ReplayOptions {
  CommonOptions common;
  RunOptions run;
  std::string file;
  std::optional<Command> command;
};

/// Loads of each processor among the recorded decisions.
std::vector<std::uint64_t> recorded_loads(const Decisions& decisions) {
  std::vector<std::uint64_t> loads(decisions.processors, 0);
  for (const RunEvent& event : decisions.events) {
    if (event.kind == RunEvent::Kind::load_started && raw(event.processor) < loads.size()) {
      ++loads[raw(event.processor)];
    }
  }
  return loads;
}

/// Whether tasks put out something apart from the data that they write.
bool has_outputs(const Workload& workload) {
  const TaskGraph& graph = workload.graph();
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    if (graph.output_bytes(task) > 0) return true;
  }
  return false;
}

/// What takes time on the platform, and of which a recording says nothing; or "".
std::string unrecorded(const Workload& workload, const MachineModel& machine) {
  std::vector<std::string> parts;
  if (machine.write_back && has_outputs(workload))
    parts.emplace_back("outputs on their way to host memory");
  if (machine.request_s > 0) parts.emplace_back("loads that a task waits for (request=)");
  if (machine.decision_s > 0) parts.emplace_back("decisions (decision=)");
  return fmt::format("{}", fmt::join(parts, " and "));
}

/// Volumes are the recorded ones; times are those of this platform or none.
void leave_out_times(Record& record) {
  record.makespan_s.reset();
  record.makespan_lower_bound_s.reset();
  record.makespan_ratio.reset();
  record.gflops.reset();
  record.busy_fraction.reset();
  record.energy_j.reset();
  record.planned_makespan_s.reset();
}

/// Of decisions that can be carried out.
void check_loads(const Recording& recording) {
  const auto loads = recorded_loads(recording.decisions);
  const auto all = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (*recording.record.loads == static_cast<double>(all)) return;
  throw InvalidInput(fmt::format("\"loads\" is {}, but {} decisions load; record it again",
                                 *recording.record.loads, all));
}

Executed simulate_again(const Experiment& experiment, const Recording& recording) {
  const Platform platform = experiment.scenario.draw(experiment.seed, *recording.record.replicate);
  if (!platform.machine) {
    throw InvalidInput(
        "--backend sim replays platforms of limited memory only; use --backend host");
  }
  const ResolvedStrategy planned = resolve_strategy(recording.record.strategy, experiment.workload,
                                                    experiment.scenario.processors());
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
  if (!unrecorded(experiment.workload, *platform.machine).empty()) leave_out_times(result.record);
  return result;
}

Experiment experiment_of(const Recording& recording) {
  const Record& record = recording.record;
  const UnitsOptional as_recorded;
  Experiment experiment{.workload = Workload::parse(record.workload),
                        .scenario = Scenario::parse(record.platform),
                        .strategies = {record.strategy},
                        .seed = *record.seed};
  if (recording.decisions.processors != experiment.scenario.processors()) {
    throw InvalidInput(fmt::format("the recording has {}, but its platform '{}' has {}",
                                   counted(recording.decisions.processors, "processor"),
                                   record.platform, experiment.scenario.processors()));
  }
  return experiment;
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

/// Decisions of one graph mean nothing on another.
/// @throws InvalidInput where a file holds something else than when the run was recorded
void check_inputs(const Recording& recording, const Experiment& experiment) {
  const Record& record = recording.record;
  const ResolvedStrategy planned =
      resolve_strategy(record.strategy, experiment.workload, experiment.scenario.processors());
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

std::string comparison(const Experiment& experiment, const Recording& recording,
                       const Executed& run) {
  const bool same = run.execution.trace.loads == recorded_loads(recording.decisions);
  std::string text =
      fmt::format("recorded ({}): {} loads; replayed: {} loads, {} on every processor\n",
                  recording.record.source, *recording.record.loads, *run.record.loads,
                  same ? "the same" : "NOT the same");
  if (run.record.source == "simulated" && !run.record.makespan_s) {
    text += fmt::format(
        "times are left out: on '{}' {} take time, which a recording does not contain\n",
        experiment.scenario.text(),
        unrecorded(experiment.workload, *experiment.scenario.machine()));
  }
  return text;
}

/// What is wrong in the recording, said of the file.
template <typename Use>
auto naming(const std::string& file, Use&& use) {
  try {
    return use();
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("recording '{}': {}", file, error.what()));
  }
}

void check_options(const ReplayOptions& options, const Experiment& experiment) {
  if (options.run.backend == simulator) {
    for (const char* const name : {"--tile", "--inner", "--precision", "--sms", "--pace",
                                   "--no-throttle", "--verify", "--compute"}) {
      if (!options.command->given(name)) continue;
      throw InvalidInput(
          fmt::format("{} is for runs on real memory, not for --backend sim; leave it out", name));
    }
  } else if (Table<BackendEntry>::find(options.run.backend) == nullptr) {
    auto known = Table<BackendEntry>::names();
    known.insert(known.begin(), simulator);
    refuse_unknown(BackendEntry::what, options.run.backend, known);
  }
  if (!options.common.trace.empty()) check_trace(options.common.trace, experiment.workload.tasks());
  options.common.check_files(experiment, {}, {{"recording", options.file}});
}

void replay(const ReplayOptions& options) {
  const Recording recording = read_recording(options.file);
  const Experiment experiment = naming(options.file, [&] { return experiment_of(recording); });
  check_options(options, experiment);
  naming(options.file, [&] { check_inputs(recording, experiment); });
  Executed run;
  std::string summary;
  if (options.run.backend == simulator) {
    run = naming(options.file, [&] { return simulate_again(experiment, recording); });
  } else {
    ExecutionOptions how = options.run.parsed(experiment.workload);
    how.keep_events = true;
    Workbench bench(experiment, how);
    run = naming(options.file, [&] {
      Executed again =
          bench.replay(recording.decisions, recording.record.strategy, *recording.record.replicate);
      check_loads(recording);
      return again;
    });
    summary = run_summary({run}, bench.device(), 0, style_for({}));
  }
  run_all_then_rethrow(
      {[&] { options.common.write({run.record}, "replay"); },
       [&] { options.common.write_trace_of(experiment, {run.record}, run.execution.events); }});
  if (options.common.chosen_format() == Format::table &&
      is_standard_output(options.common.output)) {
    fmt::print("\n{}{}", summary, comparison(experiment, recording, run));
  }
  if (!run.execution.failure.empty()) {
    throw std::runtime_error(fmt::format("the replay failed: {}", run.execution.failure));
  }
}

void set_up_replay(Command command) {
  const auto options = std::make_shared<ReplayOptions>();
  command.argument("FILE", options->file, "what `simulate --record` or `run --record` wrote");
  options->run.add_to(command);
  command.describe("--backend", "sim, or what damocles list backends shows (default host)");
  command.remove("--depth");  // when to ask has been decided
  options->command = command;
  options->common.add_trace(command, "");
  options->common.add_output(command);
  command.describe("--summary",
                   "write the row as `damocles run --summary` does: here of one run (n = 1)");
  command.footer(
      "EXAMPLES\n"
      "  damocles simulate gemm2d:n=20,tile=64,k=256 gpus:k=2,memory=10data --strategies darts --record darts.json\n"
      "  damocles replay darts.json --backend host\n"
      "  damocles replay darts.json --backend sim --trace darts.trace\n");
  command.runs([options] { replay(*options); });
}

const Register replay_command{CommandEntry{
    .name = "replay",
    .place = 60,
    .description =
        "Repeat the decisions of a recorded run: "
        "every processor makes the same loads and evictions and runs the same tasks in the same order, "
        "however long they take. Backends are sim (virtual time), host and cuda. "
        "So a simulated run can be executed, and an executed one simulated.",
    .set_up = set_up_replay}};

}  // namespace
}  // namespace damocles
