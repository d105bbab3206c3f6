#include <memory>

#include "experiments/commands/command_rows.hpp"

namespace damocles {

CommandRows simulate_rows(const CommonOptions& options, const Onlookers& onlookers) {
  Experiment experiment = options.experiment_to_simulate();
  if (onlookers.watcher) require_one_strategy("--trace", experiment);
  experiment.watcher = onlookers.watcher;
  auto records = rows_answering(experiment, options, onlookers);
  return {std::move(experiment), std::move(records)};
}

namespace {

void set_up_simulate(Command command) {
  const auto options = std::make_shared<CommonOptions>();
  options->add_experiment(command);
  options->add_strategies(command);
  options->add_runs(command);
  command.flag(
      "--count-decision-time", options->charge_scheduling,
      "add the measured time of the strategy's decisions to the makespan and report it as scheduling_s; "
      "results then vary from run to run; limited memory only");
  options->add_trace(command);
  options->add_recording(command);
  options->add_output(command);
  options->add_store(command);
  options->add_table(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles simulate gemm2d:n=50 gpus:k=2,memory=500MB --strategies all\n"
      "  damocles simulate matrix:n=40 uniform:p=100,lo=10,hi=100 --replicates 20 --summary\n"
      "  damocles simulate outer:m=50,n=200 dyn.20:p=8 --strategies dynamic,sorted -o runs.csv\n"
      "  damocles simulate cholesky:n=20 gpus:k=2,memory=500MB --strategies darts --trace darts.json\n");
  command.runs([options] {
    std::vector<RunEvent> events;
    Onlookers onlookers{.progress = terminal_progress(options->quiet)};
    if (!options->trace.empty() || !options->recording.empty()) {
      onlookers.watcher = [&](const RunEvent& event) { events.push_back(event); };
    }
    const CommandRows answer = simulate_rows(*options, onlookers);
    options->print_left_out(answer.experiment);
    run_all_then_rethrow(
        {[&] {
           options->write(answer.records, "simulate", options->note_on_others(answer.experiment));
         },
         [&] { options->write_recording_of(answer.records, events); },
         [&] { options->write_trace_of(answer.experiment, answer.records, events); }});
  });
}

const Register simulate_command{CommandEntry{
    .name = "simulate",
    .place = 40,
    .description =
        "Simulate strategies in virtual time and count their loads. "
        "A table has one row for each strategy, the mean of its runs: the fastest first where memory is limited, else the one with the fewest loads. "
        "CSV and JSON have one row for each run, unless --summary is given. "
        "The same seed gives the same rows on any number of threads.",
    .set_up = set_up_simulate}};

}  // namespace
}  // namespace damocles
