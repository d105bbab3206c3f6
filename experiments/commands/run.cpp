#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/studies/execution.hpp"
#include "experiments/studies/run_summary.hpp"
#include "gpu/calibration.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

struct RunCommandOptions {
  CommonOptions common;
  RunOptions run;
  std::string details;
};

std::vector<Record> records_of(const std::vector<Executed>& runs) {
  std::vector<Record> records;
  records.reserve(runs.size());
  for (const Executed& run : runs) records.push_back(run.record);
  return records;
}

void run_experiment(const RunCommandOptions& options) {
  Experiment experiment = options.common.experiment();
  check_ending("--details", options.details, {".json"});
  options.common.check_files(experiment, {{"--details", options.details}});
  ExecutionOptions how = options.run.parsed(experiment.workload);
  how.keep_events = true;
  options.run.refuse_events(options.common);
  experiment = with_copies_in_real_time(std::move(experiment), how);
  Workbench bench(experiment, how);
  const double peak = bench.peak_flops_per_s();
  const auto runs = run_executions(bench, experiment, terminal_progress(options.common.quiet),
                                   runs_told(options.common.quiet, options.common.output));
  const auto records = records_of(runs);
  options.common.print_left_out(experiment);
  run_all_then_rethrow(
      {[&] {
         options.common.write(records, "run", options.common.note_on_others(experiment),
                              [&](ResultTable& table) { add_details(table, runs, peak); });
       },
       [&] { options.common.write_recording_of(records, runs.front().execution.events); },
       [&] { options.common.write_trace_of(experiment, records, runs.front().execution.events); },
       [&] {
         if (options.details.empty()) return;
         write_output(options.details, json_text(run_details(runs, bench.device(), peak)));
       }});
  if (options.common.chosen_format() == Format::table &&
      is_standard_output(options.common.output)) {
    fmt::print("\n{}", wrapped(run_summary(runs, bench.device(), peak), style_for({})));
  }
  const std::string& failure = runs.back().execution.failure;
  if (!failure.empty()) {
    throw std::runtime_error(fmt::format("{} failed: {}", runs.back().record.strategy, failure));
  }
}

void set_up_run(Command command) {
  const auto options = std::make_shared<RunCommandOptions>();
  options->common.replicates = "1";
  options->common.add_experiment(command);
  options->common.add_strategies(command);
  options->common.add_replicates(command, "runs of each strategy (default 1)");
  options->run.add_to(command);
  const std::string required = "exactly one strategy, and not --backend starpu";
  options->common.add_trace(command, required);
  options->common.add_recording(command, required);
  command.option("--details", options->details, "FILE",
                 "also write as JSON what the summary says: device, driver, date, and of each "
                 "run its verification, overlap, bytes written and time of decisions");
  options->common.add_output(command);
  options->common.add_table(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles run gemm2d:n=20,tile=64,k=256 gpus:k=2,memory=10data --strategies darts,eager\n"
      "  damocles run outer:n=100 uniform:p=20,lo=10,hi=100 --pace 1ms --strategies dynamic\n"
      "  damocles run gemm3d:n=10,tile=64 gpus:k=2,memory=20data --strategies hfp --trace hfp.json\n"
      "  damocles run matrix:n=40 homogeneous:p=4 --tile 256 --backend cuda --sms 8,16,32,64\n\n"
      "COLUMNS of the table alone; the others are in docs/reference/results.md\n"
      "  of peak     GFlop/s as a share of what the kernel reaches on all processors at once\n"
      "  MB loaded   inputs copied to processors\n"
      "  MB written  results copied back during the run, each computed by one processor alone\n"
      "  MB summed   partial sums, which the host adds up, and modified items copied back after the run\n"
      "  overlap     share of the copy time in which the same processor computes\n"
      "  scheduling  share of the makespan spent in decisions of strategy and eviction\n"
      "  home_ms     time in ms from the last task until all results are in host memory\n"
      "  error       largest error of the result over its tolerance; above 1 the run fails\n");
  command.runs([options] { run_experiment(*options); });
}

const Register run_command{CommandEntry{
    .name = "run",
    .place = 50,
    .description =
        "Execute strategies on real memory and verify the result: buffers of bounded size, "
        "copies and kernels, on host threads, CUDA GPUs or the ranks of an MPI job. Loads are counted where the bytes move. "
        "A table has one row for each strategy, the mean of its runs. "
        "CSV and JSON have one row for each run, unless --summary is given. "
        "The column model names the backend. "
        "A run that fails has the status failed, and the program exits with status 1.",
    .set_up = set_up_run}};

}  // namespace
}  // namespace damocles
