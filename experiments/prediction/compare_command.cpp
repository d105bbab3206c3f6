#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include "experiments/commands/command_rows.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/prediction/validations.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/summary.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// Simulated and predicted means of one strategy.
struct Line {
  Record simulated;
  std::vector<std::optional<Record>> predicted;  // shape (models)
};

std::vector<Line> lines(const std::vector<Record>& summaries, const Experiment& experiment) {
  std::vector<Line> result;
  for (const auto& strategy : experiment.strategies) {
    Line line{{}, std::vector<std::optional<Record>>(experiment.models.size())};
    for (const auto& record : summaries) {
      if (record.strategy != strategy) continue;
      if (record.source == "simulated") line.simulated = record;
      for (std::size_t m = 0; m < experiment.models.size(); ++m) {
        if (record.source == "predicted" && record.model == experiment.models[m]) {
          line.predicted[m] = record;
        }
      }
    }
    result.push_back(std::move(line));
  }
  return result;
}

std::vector<Record> simulated_of(const std::vector<Line>& lines) {
  std::vector<Record> records;
  for (const Line& line : lines) records.push_back(line.simulated);
  return records;
}

/// The lines of these records, in their order; a folded one has the name that its row shows.
std::vector<Line> ranked_lines(const std::vector<Record>& records, const std::vector<Line>& all) {
  std::vector<Line> result;
  for (const Record& record : records) {
    const std::string strategy = record.strategy.substr(0, record.strategy.find(" (+"));
    result.push_back(*std::find_if(all.begin(), all.end(), [&](const Line& line) {
      return line.simulated.strategy == strategy;
    }));
    result.back().simulated.strategy = record.strategy;
  }
  return result;
}

/// A line for each strategy and limit that its predictions break, with the models that do.
std::string lines_on_starred(const std::vector<Record>& records) {
  std::vector<std::tuple<std::string, std::string, std::string>> starred;  // strategy, why, models
  for (const Record& record : records) {
    if (!record.domain.starts_with("outside")) continue;
    const auto same = std::find_if(starred.begin(), starred.end(), [&](const auto& one) {
      return std::get<0>(one) == record.strategy && std::get<1>(one) == record.domain;
    });
    if (same == starred.end()) {
      starred.emplace_back(record.strategy, record.domain, record.model);
    } else {
      std::get<2>(*same) += ", " + record.model;
    }
  }
  std::string lines;
  for (const auto& [strategy, why, models] : starred) {
    lines += fmt::format("* {} of {}: {}\n", models, strategy, why);
  }
  return lines;
}

/// How near predictions are expected to be, which ones lie beyond what is known, and who has none.
std::string notes_below(const std::vector<Line>& lines, const Experiment& experiment) {
  std::vector<Record> all;
  std::string without;
  std::vector<std::string> names;
  for (const Line& line : lines) {
    bool any = false;
    for (const auto& record : line.predicted) {
      if (!record) continue;
      any = true;
      all.push_back(*record);
    }
    if (any || !experiment.keep_unpredicted || experiment.models.empty()) continue;
    names.push_back(line.simulated.strategy);
    without += fmt::format("{}: {}\n", line.simulated.strategy,
                           unpredicted(experiment, experiment.models, {line.simulated.strategy}));
  }
  // Where memory is limited many strategies have no model.
  if (experiment.scenario.machine() && !names.empty()) {
    without =
        fmt::format("no prediction: {}; `damocles predict` says why\n", fmt::join(names, ", "));
  }
  return lines_on_starred(all) + expected_errors(all, experiment) + without;
}

/// " (+1.6 %)": how far a predicted value is from the simulated one; "" where that one alone is 0.
std::string error_in_brackets(double predicted, double simulated, int digits) {
  const double error = relative_difference(predicted, simulated);
  return std::isinf(error) ? "" : fmt::format(" ({:+.{}f} %)", 100 * error, digits);
}

/// Adds a model's cells: its ratio with the error relative to the simulated one and, of refined,
/// the spread.
void append_predicted(std::vector<std::string>& row, const std::optional<Record>& predicted,
                      const Record& simulated, bool with_spread) {
  const auto ratio = predicted ? predicted->volume_ratio : std::nullopt;
  const bool outside = predicted && predicted->domain.starts_with("outside");
  row.push_back(ratio ? fmt::format("{:.4f}{}{}", *ratio, outside ? "*" : "",
                                    error_in_brackets(*ratio, *simulated.volume_ratio, 2))
                      : "–");
  if (with_spread) row.push_back(number_cell(predicted ? predicted->sd : std::nullopt, "{:.4f}"));
}

/// Adds the cells of the one model that predicts the strategy with limited memory: its name, and
/// its loads and makespan with the errors relative to the simulated ones.
void append_limited(std::vector<std::string>& row, const Line& line) {
  const auto one = std::find_if(line.predicted.begin(), line.predicted.end(),
                                [](const auto& of) { return of && of->loads; });
  if (one == line.predicted.end()) {
    row.insert(row.end(), 3, "–");
    return;
  }
  const char* const star = (*one)->domain.starts_with("outside") ? "*" : "";
  const auto cell_of = [&](const std::string& value, double predicted, double simulated) {
    return value + star + error_in_brackets(predicted, simulated, 1);
  };
  const double loads = *(*one)->loads;
  const double makespan_s = *(*one)->makespan_s;
  row.push_back((*one)->model);
  row.push_back(cell_of(fmt::format("{:.1f}", loads), loads, *line.simulated.loads));
  row.push_back(cell_of(fmt::format("{:.6g}", makespan_s), makespan_s, *line.simulated.makespan_s));
}

/// Left out first where the screen is narrow: models, but those that the user named and the one
/// nearest to simulation; then what is least needed.
constexpr std::array<std::string_view, 13> models_first_out{
    "model", "predicted_s", "refined_sd", "paper",          "corrected",  "ode",         "exact",
    "sd",    "beta",        "gflops",     "makespan_ratio", "makespan_s", "volume_ratio"};
constexpr std::array<std::string_view, 5> named_models_stay{"refined_sd", "sd", "beta", "gflops",
                                                            "makespan_ratio"};

std::vector<std::vector<std::string>> cells_of(const std::vector<Line>& lines,
                                               const Experiment& experiment) {
  std::vector<std::vector<std::string>> rows{{"strategy", "beta", "makespan_s", "makespan_ratio",
                                              "gflops", "loads", "volume_ratio", "sd"}};
  const bool limited = experiment.scenario.machine() && !experiment.models.empty();
  if (limited) rows[0].insert(rows[0].end(), {"model", "predicted_loads", "predicted_s"});
  for (const auto& model : experiment.models) {
    if (limited) break;
    rows[0].push_back(model);
    if (model == "refined") rows[0].emplace_back("refined_sd");
  }
  for (const Line& line : lines) {
    const auto& [simulated, predicted] = line;
    auto& row = rows.emplace_back(std::vector<std::string>{
        simulated.strategy, number_cell(simulated.beta, "{:.4f}"),
        // In the unlimited model a makespan is in units of nothing.
        number_cell(simulated.makespan_ratio ? simulated.makespan_s : std::nullopt, "{:.6g}"),
        number_cell(simulated.makespan_ratio, "{:.4f}"), number_cell(simulated.gflops, "{:.6g}"),
        number_cell(simulated.loads, "{:.1f}"), number_cell(simulated.volume_ratio, "{:.4f}"),
        number_cell(simulated.sd, "{:.4f}")});
    if (limited) append_limited(row, line);
    for (std::size_t m = 0; m < predicted.size() && !limited; ++m) {
      append_predicted(row, predicted[m], simulated, experiment.models[m] == "refined");
    }
  }
  return rows;
}

/// @param compared  ranked by `column`
ResultTable table_of_sources(const std::vector<Line>& compared, const Experiment& experiment,
                             std::string_view column, const TableChoice& choice) {
  std::vector<Record> simulated = simulated_of(compared);
  const std::string order =
      order_in_words(column) + (experiment.models.empty() ? ""
                                : experiment.scenario.machine()
                                    ? "; predicted: loads, makespan (relative error)"
                                    : "; models: volume_ratio (relative error)");
  ResultTable table;
  table.heading = fmt::format("{} on {}\n{}", experiment.workload.text(),
                              experiment.scenario.text(), heading_of(simulated, order));
  const bool decides = column == deciding_column(simulated);
  // Strategies that run alike may be predicted differently.
  const bool folds = choice.fold && experiment.models.empty();
  const std::string folded = folds ? fold(simulated, choice.usual) : "";
  if (decides) table.closing = best_line(simulated, column, shown_rows(choice));
  table.closing += folded;
  table.cells = cells_of(ranked_lines(simulated, compared), experiment);
  drop_blank_columns(table.cells);
  table.closing += notes_below(compared, experiment);
  return table;
}

/// Rows of runs, strategies in the order of the table.
std::vector<Record> in_order_of(const std::vector<Line>& compared,
                                const std::vector<Record>& records) {
  std::vector<Record> sorted;
  for (const Line& line : compared) {
    std::copy_if(records.begin(), records.end(), std::back_inserter(sorted),
                 [&](const Record& one) { return one.strategy == line.simulated.strategy; });
  }
  return sorted;
}

/// The rows of all runs, and the lines that they make, ranked by a column.
struct Comparison {
  Experiment experiment;
  std::vector<Record> records;  // in the order of the experiment
  std::vector<Line> ranked;
  std::string column;
};

Comparison compared(const CommonOptions& options, const Onlookers& onlookers) {
  Experiment experiment = options.experiment_to_simulate();
  experiment.models = choose_models(options.models, experiment.scenario.machine());
  leave_out_silent_models(experiment, options.models);
  experiment.keep_unpredicted = options.names_strategies();
  auto records = rows_answering(experiment, options, onlookers);
  const auto unsorted = lines(summarise(records), experiment);
  std::vector<Record> ranked = simulated_of(unsorted);
  std::string column =
      options.table.sort.empty() ? std::string(deciding_column(ranked)) : options.table.sort;
  rank(ranked, column);
  auto by_rank = ranked_lines(ranked, unsorted);
  return {std::move(experiment), std::move(records), std::move(by_rank), std::move(column)};
}

}  // namespace

CommandRows compare_rows(const CommonOptions& options, const Onlookers& onlookers) {
  Comparison all = compared(options, onlookers);
  auto records = in_order_of(all.ranked, all.records);
  return {std::move(all.experiment), std::move(records)};
}

namespace {

void compare(const CommonOptions& options) {
  const TableChoice choice = options.table_choice();
  const Comparison all = compared(options, {.progress = terminal_progress(options.quiet)});
  options.print_left_out(all.experiment);
  const Format format = options.chosen_format();
  if (format != Format::table && format != Format::markdown && format != Format::latex) {
    return options.write(in_order_of(all.ranked, all.records), "compare");
  }
  ResultTable table = table_of_sources(all.ranked, all.experiment, all.column, choice);
  table.closing += options.note_on_others(all.experiment);
  keep_first_rows(table, choice.top);
  const std::span<const std::string_view> first_out =
      options.models == "all" ? std::span<const std::string_view>(models_first_out)
                              : std::span<const std::string_view>(named_models_stay);
  write_output(options.output,
               format == Format::markdown ? markdown_table(table.cells)
               : format == Format::latex
                   ? latex_table(table.cells)
                   : table_text(table, choice, style_for(options.output), first_out));
}

}  // namespace

extern "C" void damocles_set_up_compare(Command& command) {
  const auto options = std::make_shared<CommonOptions>();
  const auto run = std::make_shared<RunOptions>();
  options->add_experiment(command);
  options->add_strategies(command);
  options->add_models(command);
  options->add_runs(command);
  run->add_to(command, true);
  options->add_trace(command, "exactly one strategy and --backend host, cuda or mpi");
  options->add_output(command);
  options->add_store(command);
  options->add_table(command);
  command.remove("--columns");  // this table has its own
  command.footer(
      "EXAMPLES\n"
      "  damocles compare outer:n=100 uniform:p=20,lo=10,hi=100 --strategies all\n"
      "  damocles compare matrix:n=40 homogeneous:p=100 --strategies dynamic-2phases:beta=2,dynamic-2phases:beta=3 --replicates 100\n"
      "  damocles compare outer:n=40 uniform:p=20,lo=10,hi=100 --backend host --pace 500us\n");
  command.runs([options, run, command] {
    if (!run->backend.empty()) {
      for (const char* const of_table : {"--sort", "--top", "--wide", "--store"}) {
        if (!command.given(of_table)) continue;
        throw InvalidInput(fmt::format("{} is not for compare --backend; leave it out", of_table));
      }
      return compare_executed(*options, *run);
    }
    if (!options->trace.empty()) {
      throw InvalidInput("compare writes a trace of simulated beside executed: add --backend host");
    }
    compare(*options);
  });
}

}  // namespace damocles
