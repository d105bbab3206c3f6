#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "experiments/commands/command_rows.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/prediction/limited_predictions.hpp"
#include "experiments/prediction/validations.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

/// Rows that all say why they have no result are no answer.
void refuse_empty(const std::vector<Record>& records) {
  const auto none = [](const Record& record) { return record.status.kind != Status::Kind::ok; };
  if (!std::all_of(records.begin(), records.end(), none)) return;
  const Record& first = records.front();
  throw InvalidInput(fmt::format(
      "model {} has no prediction of {} on '{}' and '{}': {}; try --model exact or refined",
      first.model, first.strategy, first.workload, first.platform, status_text(first.status)));
}

}  // namespace

CommandRows predict_rows(const CommonOptions& options, const Onlookers& onlookers) {
  Experiment experiment = options.experiment();
  experiment.models = choose_models(options.models, experiment.scenario.machine());
  experiment.simulate = false;
  experiment.keep_unpredicted = options.names_strategies();
  refuse_unpredicted(experiment, options.models);
  auto records = rows_answering(experiment, options, onlookers);
  refuse_empty(records);
  return {std::move(experiment), std::move(records)};
}

namespace {

/// Of strategies that nobody named: those that no model predicts, which have no row.
std::string note_on_unpredicted(const Experiment& experiment, const std::vector<Record>& records) {
  constexpr std::size_t most_named = 8;
  if (experiment.keep_unpredicted || !experiment.scenario.machine()) return "";
  std::set<std::string> predicted;
  for (const Record& record : records) predicted.insert(record.strategy);
  std::vector<std::string> others;
  for (const std::string& strategy : experiment.strategies) {
    if (!predicted.contains(strategy)) others.push_back(strategy);
  }
  if (others.empty()) return "";
  if (others.size() > most_named) {
    return fmt::format("no model predicts {} other strategies there; name one to see why\n",
                       others.size());
  }
  return fmt::format("no model predicts {} there; name {} to see why\n", fmt::join(others, ", "),
                     others.size() == 1 ? "it" : "one");
}

}  // namespace

extern "C" void damocles_set_up_predict(Command& command) {
  const auto options = std::make_shared<CommonOptions>();
  options->add_experiment(command, true);
  options->add_strategies(command);
  options->add_models(command);
  options->add_runs(command);
  command.describe("--replicates",
                   "draws of the platform's speeds, with a prediction each (default 10); "
                   "fixed speeds have one prediction");
  options->add_output(command);
  options->add_store(command);
  options->add_table(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles predict matrix:n=40 homogeneous:p=100 --strategies dynamic-2phases:beta=3\n"
      "  damocles predict outer:n=10000 homogeneous:p=100 --strategies dynamic-2phases --model refined --format json\n"
      "  damocles predict gemm2d:n=100 gpus:k=4,memory=500MB --strategies dmdar,lws,random\n");
  command.runs([options] {
    const auto [experiment, records] =
        predict_rows(*options, {.progress = terminal_progress(options->quiet)});
    options->print_left_out(experiment);
    options->write(records, "predict",
                   validated_domains(records, experiment) + hiding_memories(experiment, records) +
                       note_on_unpredicted(experiment, records));
  });
}

}  // namespace damocles
