#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "experiments/commands/command.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

/// Rows that all say why they have no result are no answer.
void refuse_empty(const std::vector<Record>& records) {
  const auto none = [](const Record& record) { return record.status != "ok"; };
  if (!std::all_of(records.begin(), records.end(), none)) return;
  const Record& first = records.front();
  throw InvalidInput(fmt::format(
      "model {} has no prediction of {} on '{}' and '{}': {}; try --model exact or refined",
      first.model, first.strategy, first.workload, first.platform, first.status));
}

}  // namespace

void add_predict_command(Command program) {
  const auto options = std::make_shared<AskOptions>();
  Command command = program.add("predict",
                                "The volume that theory predicts, without running anything. Where "
                                "speeds are drawn, one prediction "
                                "a replicate. sd is the predicted standard deviation of one run's "
                                "volume_ratio (refined model).");
  options->add_question(command);
  options->add_strategies(command);
  options->add_models(command);
  options->add_runs(command);
  options->add_output(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles predict matrix:n=40 homogeneous:p=100 --strategies dynamic-2phases:beta=3\n"
      "  damocles predict outer:n=10000 homogeneous:p=100 --strategies dynamic-2phases "
      "--model refined --format json\n");
  command.runs([options] {
    Question question = options->question();
    question.simulate = false;
    refuse_unpredicted(question, options->models, options->strategies);
    const auto records =
        run_jobs(jobs(question), options->threads(), terminal_progress(options->quiet));
    refuse_empty(records);
    options->write(records, "predict");
  });
}

void add_simulate_command(Command program) {
  const auto options = std::make_shared<AskOptions>();
  Command command = program.add("simulate",
                                "Runs strategies in virtual time and counts what "
                                "they load. One row a run; the same seed gives the "
                                "same rows on any number of threads.");
  options->add_question(command);
  options->add_strategies(command);
  options->add_runs(command);
  command.flag("--charge-scheduling", options->charge_scheduling,
               "add the wall time of the strategy's decisions to the makespan and report it "
               "as scheduling_s; differs from run to run; limited memory only");
  options->add_trace(command);
  options->add_recording(command);
  options->add_output(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles simulate gemm2d:n=50 gpus:k=2,memory=500MB --strategies all\n"
      "  damocles simulate matrix:n=40 uniform:p=100,lo=10,hi=100 --replicates 20 --summary\n"
      "  damocles simulate outer:m=50,n=200 dyn.20:p=8 --strategies dynamic,sorted -o runs.csv\n"
      "  damocles simulate cholesky:n=20 gpus:k=2,memory=500MB --strategies darts --trace "
      "darts.json\n");
  command.runs([options] {
    Question question = options->simulated_question();
    question.models.clear();
    std::vector<RunEvent> events;
    if (!options->trace.empty() || !options->recording.empty()) {
      question.watcher = [&](const RunEvent& event) { events.push_back(event); };
    }
    const auto records =
        run_jobs(jobs(question), options->threads(), terminal_progress(options->quiet));
    do_each({[&] { options->write(records, "simulate"); },
             [&] { options->write_recording_of(records, events); },
             [&] { options->write_trace_of(question.workload, records, events); }});
  });
}

}  // namespace damocles
