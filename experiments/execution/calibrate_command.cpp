#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/execution/calibration_file.hpp"
#include "experiments/execution/execution.hpp"
#include "experiments/message.hpp"
#include "experiments/progress.hpp"
#include "experiments/results/output_file.hpp"
#include "gpu/calibration.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

struct CalibrateOptions {
  std::string workload;
  std::string processors = "1";
  std::string memory = "500MB";
  std::string time = "200ms";
  std::string repeats = "auto";
  std::string fitted;
  std::string held_out;
  std::string output;
  bool quiet = false;
  RunOptions run;
};

/// The strategies of a list; where none is given, of the usual ones those that are defined on the
/// workload.
std::vector<std::string> strategies_there(const std::string& list, const char* usual,
                                          const Workload& workload) {
  if (!list.empty()) return choose_strategies(list, workload, MachineModel{});
  const auto there = choose_strategies("all", workload, MachineModel{});
  std::vector<std::string> result;
  for (const auto& strategy :
       choose_strategies(usual, Workload::parse("gemm2d:n=1"), MachineModel{})) {
    if (std::find(there.begin(), there.end(), strategy) != there.end()) result.push_back(strategy);
  }
  return result;
}

/// A strategy that was asked for is not also one of the usual others.
/// @throws InvalidInput where one was asked for as both, or none is left to fit to
void keep_apart(const CalibrateOptions& options, CalibratingRuns& runs) {
  const std::vector<std::string> held_out = runs.held_out;
  for (const auto& strategy : held_out) {
    if (std::find(runs.fitted.begin(), runs.fitted.end(), strategy) == runs.fitted.end()) continue;
    if (options.held_out.empty()) {
      std::erase(runs.held_out, strategy);
    } else if (options.fitted.empty()) {
      std::erase(runs.fitted, strategy);
    } else {
      throw InvalidInput(fmt::format(
          "--held-out '{}': the file is fitted to its runs; take it out of --strategies",
          strategy));
    }
  }
  if (runs.fitted.empty()) {
    throw InvalidInput(fmt::format(
        "--held-out '{}' leaves no strategy to fit the file to; name others with --strategies",
        options.held_out));
  }
}

/// Why runs of the workload fix nothing; "" where they do.
std::string not_to_be_fitted(const Workload& workload, std::uint64_t repeats) {
  if (repeats == 0) return "--repeats 0";
  if (!workload.has_sizes()) return "tasks of " + workload.text() + " have no sizes";
  return "";
}

/// What was asked for, checked before anything is measured.
struct CalibrationRequest {
  Experiment experiment;
  ExecutionOptions how;
  CalibratingRuns runs;
  bool within_time = false;  ///< as many repeats, and blocks, as the time allows
  double each_s = 0;
};

CalibrationRequest checked(const CalibrateOptions& options) {
  constexpr std::uint64_t most_processors = 4096;
  constexpr std::uint64_t most_repeats = 1000;
  const auto seconds = parse_quantity(options.time, Unit::seconds);
  if (!seconds || *seconds <= 0 || *seconds > 60) {
    throw InvalidInput(
        fmt::format("--time '{}': give a time above 0 and up to 60s, as 200ms", options.time));
  }
  const auto processors =
      parse_integer_option("--processors", options.processors, 1, most_processors);
  check_ending("-o", options.output, {".toml"});
  check_writable(options.output);
  const Workload workload = Workload::parse(options.workload);
  CalibratingRuns runs{.fitted = {}, .held_out = {}, .seed = 1};
  const bool within_time = options.repeats == "auto";
  if (!within_time)
    runs.repeats = parse_integer_option("--repeats", options.repeats, 0, most_repeats);
  if (not_to_be_fitted(workload, runs.repeats).empty()) {
    runs.fitted = strategies_there(options.fitted, "eager,darts,random", workload);
    runs.held_out = strategies_there(options.held_out, "dmdar,hfp,panel-streaming", workload);
    keep_apart(options, runs);
  }
  // One after the other: where a later member of nested braces throws, GCC 12 ends the earlier
  // twice.
  ExecutionOptions how = options.run.parsed(workload);
  Scenario scenario =
      Scenario::parse(fmt::format("gpus:k={},memory={}", processors, options.memory));
  return {.experiment = {.workload = workload, .scenario = std::move(scenario)},
          .how = std::move(how),
          .runs = std::move(runs),
          .within_time = within_time,
          .each_s = *seconds};
}

/// Executes what fits the file, and says beforehand how long that takes.
FittedCalibration fitted(const CalibrationRequest& asked, const Calibration& measured, bool quiet) {
  constexpr double most_s = 60;  // of runs; measurements and other programs take time too
  const Experiment& experiment = asked.experiment;
  const MachineModel machine = measured_machine(measured, *experiment.scenario.machine());
  const PlannedRuns planned = asked.within_time
                                  ? within_time(experiment.workload, machine, asked.runs, most_s)
                                  : as_asked(experiment.workload, machine, asked.runs);
  if (!quiet && planned.seconds >= 1) {
    const bool fewer = planned.workload.text() != experiment.workload.text();
    print_diagnostic(
        fmt::format("executes {} runs on {}{}, about {}{}", planned.runs(), planned.workload.text(),
                    fewer ? " (fewer blocks of the same size)" : "", duration_text(planned.seconds),
                    fewer ? "; --repeats N executes N of each on all blocks" : ""));
  }
  return fit_to_runs(planned.workload, machine, planned.what, asked.how, terminal_progress(quiet));
}

void calibrate_and_write(const CalibrateOptions& options) {
  const CalibrationRequest asked = checked(options);
  const MachineLoad before = MachineLoad::now();
  if (before.is_busy() && !options.quiet) {
    note(fmt::format(
        "the machine was busy (load {:.1f} on {} cores): figures may be off; calibrate while nothing else runs",
        before.running, before.cores));
  }
  const Experiment& experiment = asked.experiment;
  CalibrationFile file;
  file.workload = options.workload;
  file.memory = options.memory;
  {
    const Experiment unlimited{.workload = experiment.workload,
                               .scenario = Scenario::homogeneous(experiment.scenario.processors())};
    const auto device = make_device(unlimited, asked.how);
    const Arithmetic arithmetic =
        Arithmetic::of(experiment.workload, asked.how.arithmetic, experiment.seed);
    if (arithmetic.kernel().kind != Kernel::Kind::product) {
      throw InvalidInput(
          fmt::format("'{}' is no product of matrices, so its tasks have no speed in GFlop/s; "
                      "calibrate with gemm2d, gemm3d, outer or matrix",
                      options.workload));
    }
    file.measured = calibrate(arithmetic, experiment.workload, *device, asked.each_s);
    file.device = device->description();
  }
  file.why_not_fitted = not_to_be_fitted(experiment.workload, asked.runs.repeats);
  if (file.why_not_fitted.empty()) {
    file.fitted = fitted(asked, file.measured, options.quiet);
  }
  write_output(options.output, calibration_file(file));
  if (file.fitted && !is_standard_output(options.output)) {
    fmt::print("{}\n", calibration_summary(*file.fitted));
  }
  if (!file.fitted) return;
  const std::string warning = calibration_warning(*file.fitted, before);
  if (!warning.empty()) print_diagnostic(warning);
}

}  // namespace

extern "C" void damocles_set_up_calibrate(Command& command) {
  const auto options = std::make_shared<CalibrateOptions>();
  command.argument("WORKLOAD", options->workload, "gemm2d:n=20,tile=64,k=256, ...");
  command.option("--processors", options->processors, "P", "number of processors (default 1)");
  command.option("--memory", options->memory, "SIZE",
                 "memory of each processor in the file, as 500MB or 20data (default 500MB)");
  command.option("--time", options->time, "TIME", "duration of each measurement (default 200ms)");
  command.option(
      "--repeats", options->repeats, "N",
      "executions of each strategy to fit and check the file. auto (default): at most 5, "
      "with fewer blocks if they would take more than a minute. 0: measure only, do not fit");
  command.list("--strategies", options->fitted, "LIST",
               "strategies to whose runs the file is fitted (default eager,darts,random)");
  command.list("--held-out", options->held_out, "LIST",
               "strategies whose runs check the fitted file (default dmdar,hfp,panel-streaming)");
  command.flag("--quiet", options->quiet, "hide the progress line");
  options->run.add_device(command);
  command.option("-o,--output", options->output, "FILE.toml",
                 "write to FILE instead of standard output");
  command.footer(
      "EXAMPLES\n"
      "  damocles calibrate gemm2d:n=10,tile=128,k=512 --processors 2 --memory 12data -o here.toml\n"
      "  damocles compare gemm2d:n=10,tile=128,k=512 here.toml --backend host --no-throttle\n");
  command.runs([options] { calibrate_and_write(*options); });
}

}  // namespace damocles
