#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/execution/execution.hpp"
#include "experiments/execution/run_summary.hpp"
#include "experiments/message.hpp"
#include "experiments/origin.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/stored_rows.hpp"
#include "gpu/calibration.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

struct RunCommandOptions {
  CommonOptions common;
  RunOptions run;
  std::string details;
};

/// What was run now, and the rows that answer: of a store, rows measured before are among them.
struct RunAnswer {
  std::vector<Executed> runs;
  std::vector<Record> records;
};

std::vector<Record> records_of(const std::vector<Executed>& runs) {
  std::vector<Record> records;
  records.reserve(runs.size());
  for (const Executed& run : runs) records.push_back(run.record);
  return records;
}

RunAnswer run_all(Workbench& bench, const Experiment& experiment, const CommonOptions& options) {
  RunAnswer answer{.runs = run_executions(bench, experiment, all_runs(experiment),
                                          terminal_progress(options.quiet),
                                          runs_told(options.quiet, options.output)),
                   .records = {}};
  answer.records = records_of(answer.runs);
  return answer;
}

/// The runs as jobs, so that a store knows their rows; who makes them takes several at once.
std::vector<Job> jobs_of_runs(const std::vector<RunToMake>& runs, const Workbench& bench) {
  std::map<std::string, Record> rows;
  std::vector<Job> all;
  for (const auto& [strategy, replicate] : runs) {
    auto row = rows.find(strategy);
    if (row == rows.end()) row = rows.emplace(strategy, bench.identity(strategy, 0)).first;
    row->second.replicate = replicate;
    all.push_back({.key = key(row->second), .run = {}});
  }
  return all;
}

/// A measurement is kept: who wants another one asks for more replicates. Of a run that failed
/// there is none, so the store gets no row of it.
RunAnswer measure_into_store(Workbench& bench, const Experiment& experiment,
                             const CommonOptions& options) {
  RunAnswer answer;
  const auto runs = all_runs(experiment);
  const auto all = jobs_of_runs(runs, bench);
  const auto make = [&](const std::vector<Job>& missing, const Finished& finished) {
    std::set<std::string> keys;
    for (const Job& job : missing) keys.insert(job.key);
    std::vector<RunToMake> to_make;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (keys.contains(all[i].key)) to_make.push_back(runs[i]);
    }
    const auto told = runs_told(options.quiet, options.output);
    answer.runs = run_executions(bench, experiment, to_make, terminal_progress(options.quiet),
                                 [&](const Executed& run) {
                                   finished(run.record, run.execution.total_s);
                                   if (told) told(run);
                                 });
    return records_of(answer.runs);
  };
  auto [records, counts, asked] =
      run_into_store(options.store, study_of(options.as_given(), options.seed), all, make,
                     all_of(all), Taken::with_result);
  answer.records = std::move(records);
  if (counts.made > 0) note_written(options.store);
  if (counts.kept == 0 || options.quiet) return answer;
  note(
      fmt::format("note: taken from '{}', where they were measured before: {} of {}; more "
                  "--replicates measure again",
                  options.store, counts.kept, counted(counts.asked, "run")));
  return answer;
}

/// What a summary says of the runs, and whether one failed.
void tell_runs(const RunAnswer& answer, const Workbench& bench, double peak,
               const CommonOptions& options) {
  if (answer.runs.empty()) return;
  if (options.chosen_format() == Format::table && is_standard_output(options.output)) {
    fmt::print("\n{}", wrapped(run_summary(answer.runs, bench.device(), peak), style_for({})));
  }
  const Executed& last = answer.runs.back();
  if (last.execution.failure.empty()) return;
  throw std::runtime_error(
      fmt::format("{} failed: {}", last.record.strategy, last.execution.failure));
}

void run_experiment(const RunCommandOptions& options) {
  Experiment experiment = options.common.experiment();
  check_ending("--details", options.details, {".json"});
  if (!options.details.empty() && !options.common.store.empty()) {
    throw InvalidInput(
        "--details and --store: a row of a store has no details; leave out one of them");
  }
  options.common.check_files(experiment, {{"--details", options.details}});
  ExecutionOptions how = options.run.parsed(experiment.workload);
  how.keep_events = true;
  options.run.refuse_events(options.common);
  experiment = with_copies_in_real_time(std::move(experiment), how);
  Workbench bench(experiment, how);
  const double peak = bench.peak_flops_per_s();
  const RunAnswer answer = options.common.store.empty()
                               ? run_all(bench, experiment, options.common)
                               : measure_into_store(bench, experiment, options.common);
  const std::vector<Executed>& runs = answer.runs;
  const std::vector<Record>& records = answer.records;
  const auto events = runs.empty() ? std::vector<RunEvent>{} : runs.front().execution.events;
  options.common.print_left_out(experiment);
  run_all_then_rethrow(
      {[&] {
         options.common.write(records, "run", options.common.note_on_others(experiment),
                              [&](ResultTable& table) {
                                // A row of a store has none, and half of a table would mislead.
                                if (runs.size() == records.size()) add_details(table, runs, peak);
                              });
       },
       [&] { options.common.write_recording_of(records, events); },
       [&] { options.common.write_trace_of(experiment, records, events); },
       [&] {
         if (options.details.empty()) return;
         write_output(options.details, json_text(run_details(runs, bench.device(), peak)));
       }});
  tell_runs(answer, bench, peak, options.common);
}

}  // namespace

extern "C" void damocles_set_up_run(Command& command) {
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
  options->common.add_store(command);
  command.describe("--store",
                   "add the rows to this database; a run that was measured before, with these "
                   "options on such a machine, is taken from it and not run again: ask for more "
                   "--replicates to measure again");
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

}  // namespace damocles
