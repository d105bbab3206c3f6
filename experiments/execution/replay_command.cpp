#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/execution/run_summary.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/studies/recorded_run.hpp"
#include "experiments/traces/decision_files.hpp"
#include "experiments/traces/trace_files.hpp"
#include "gpu/backend.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

constexpr const char* simulator = "sim";

struct ReplayOptions {
  CommonOptions common;
  RunOptions run;
  std::string file;
  std::optional<Command> command;
};

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
    summary = run_summary({run}, bench.device(), 0);
  }
  run_all_then_rethrow(
      {[&] {
         options.common.write({run.record}, "replay", "", [&](ResultTable& table) {
           if (options.run.backend != simulator) add_details(table, {run}, 0);
         });
       },
       [&] { options.common.write_trace_of(experiment, {run.record}, run.execution.events); }});
  if (options.common.chosen_format() == Format::table &&
      is_standard_output(options.common.output)) {
    write_output("-", fmt::format("\n{}{}", wrapped(summary, style_for({})),
                                  comparison(experiment, recording, run)));
  }
  if (!run.execution.failure.empty()) {
    throw std::runtime_error(fmt::format("the replay failed: {}", run.execution.failure));
  }
}

}  // namespace

extern "C" void damocles_set_up_replay(Command& command) {
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

}  // namespace damocles
