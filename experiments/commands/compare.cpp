#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

#include "experiments/commands/command.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/executed_comparison.hpp"
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
  std::stable_sort(result.begin(), result.end(), [](const Line& a, const Line& b) {
    // Where there are cores the bound is 0 loads, and there is no ratio.
    return std::tie(a.simulated.volume_ratio, a.simulated.loads) <
           std::tie(b.simulated.volume_ratio, b.simulated.loads);
  });
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
  for (const Line& line : lines) {
    bool any = false;
    for (const auto& record : line.predicted) {
      if (!record) continue;
      any = true;
      all.push_back(*record);
    }
    if (any || !experiment.keep_unpredicted || experiment.models.empty()) continue;
    without += fmt::format("{}: {}\n", line.simulated.strategy,
                           unpredicted(experiment, experiment.models, {line.simulated.strategy}));
  }
  return lines_on_starred(all) + expected_errors(all) + without;
}

/// Adds a model's cells: its ratio with the error relative to the simulated one and, of refined,
/// the spread.
void append_predicted(std::vector<std::string>& row, const std::optional<Record>& predicted,
                      const Record& simulated, bool with_spread) {
  const auto ratio = predicted ? predicted->volume_ratio : std::nullopt;
  const bool outside = predicted && predicted->domain.starts_with("outside");
  row.push_back(ratio ? fmt::format("{:.4f}{} ({:+.2f} %)", *ratio, outside ? "*" : "",
                                    100 * (*ratio / *simulated.volume_ratio - 1))
                      : "–");
  if (with_spread) row.push_back(number_cell(predicted ? predicted->sd : std::nullopt, "{:.4f}"));
}

std::string table_of_sources(const std::vector<Line>& lines, const Experiment& experiment,
                             const TableStyle& style) {
  std::vector<std::vector<std::string>> rows{{"strategy", "beta", "loads", "volume_ratio", "sd",
                                              "makespan_s", "makespan_ratio", "gflops"}};
  for (const auto& model : experiment.models) {
    rows[0].push_back(model);
    if (model == "refined") rows[0].emplace_back("refined_sd");
  }
  for (const auto& [simulated, predicted] : lines) {
    auto& row = rows.emplace_back(std::vector<std::string>{
        simulated.strategy, number_cell(simulated.beta, "{:.4f}"),
        number_cell(simulated.loads, "{:.1f}"), number_cell(simulated.volume_ratio, "{:.4f}"),
        number_cell(simulated.sd, "{:.4f}"),
        // In the unlimited model a makespan is in units of nothing.
        number_cell(simulated.makespan_ratio ? simulated.makespan_s : std::nullopt, "{:.6g}"),
        number_cell(simulated.makespan_ratio, "{:.4f}"), number_cell(simulated.gflops, "{:.6g}")});
    for (std::size_t m = 0; m < predicted.size(); ++m) {
      append_predicted(row, predicted[m], simulated, experiment.models[m] == "refined");
    }
  }
  const auto& first = lines.front().simulated;
  const std::string notes = notes_below(lines, experiment);
  const bool ratios = ratio_bound(first) > 0;
  const std::string ratio =
      ratios ? "; volume_ratio = loads / " + std::string(ratio_bound_words(first)) : "";
  return fmt::format(
      "{} on {}: {}, {}, {}; {} {:.6g} loads{}\n"
      "mean of {} simulated run(s), seed {}{}{}\n\n{}{}{}",
      experiment.workload.text(), experiment.scenario.text(),
      counted(experiment.workload.tasks(), "task"),
      counted(experiment.workload.data(), "data item"),
      counted(experiment.scenario.processors(), "processor"), ratio_bound_words(first),
      ratio_bound(first), ratios ? "" : ", so there is no ratio", experiment.replicates,
      experiment.seed, ratio,
      experiment.scenario.machine() ? "; makespan_ratio = makespan / its lower bound"
                                    : "; models: ratio (relative error)",
      aligned(rows, style), notes.empty() ? "" : "\n", wrapped(notes, style));
}

void compare(const CommonOptions& options) {
  Experiment experiment = options.experiment_to_simulate();
  leave_out_silent_models(experiment, options.models);
  experiment.keep_unpredicted = options.strategies != "all";
  const auto records =
      run_jobs(jobs(experiment), options.threads(), terminal_progress(options.quiet));
  options.print_left_out(experiment);
  if (options.chosen_format() == Format::table) {
    write_output(options.output, table_of_sources(lines(summarise(records), experiment), experiment,
                                                  style_for(options.output)));
    return;
  }
  // Other formats: the rows themselves, strategies by simulated volume.
  std::vector<Record> sorted;
  for (const auto& line : lines(summarise(records), experiment)) {
    std::copy_if(records.begin(), records.end(), std::back_inserter(sorted),
                 [&](const Record& record) { return record.strategy == line.simulated.strategy; });
  }
  options.write(sorted, "compare");
}

void set_up_compare(Command command) {
  const auto options = std::make_shared<CommonOptions>();
  const auto run = std::make_shared<RunOptions>();
  options->add_experiment(command);
  options->add_strategies(command);
  options->add_models(command);
  options->add_runs(command);
  run->add_to(command, true);
  options->add_trace(command, "exactly one strategy and --backend host or cuda");
  options->add_output(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles compare outer:n=100 uniform:p=20,lo=10,hi=100 --strategies all\n"
      "  damocles compare matrix:n=40 homogeneous:p=100 --strategies dynamic-2phases:beta=2,dynamic-2phases:beta=3 --replicates 100\n"
      "  damocles compare outer:n=100 uniform:p=20,lo=10,hi=100 --backend host --pace 500us\n");
  command.runs([options, run] {
    if (!run->backend.empty()) return compare_executed(*options, *run);
    if (!options->trace.empty()) {
      throw InvalidInput("compare writes a trace of simulated beside executed: add --backend host");
    }
    compare(*options);
  });
}

const Register compare_command{CommandEntry{
    .name = "compare",
    .place = 80,
    .description =
        "Compare predicted, simulated and, with --backend, executed volumes. "
        "Each row gives a strategy's mean ratio of loads to a bound, "
        "every model's prediction of it and the relative error. "
        "Strategies are sorted by that ratio, or by loads where there is none; with --backend they keep their order. "
        "The line above the table names the bound: the lower bound, or for grids of tasks and unlimited memory the balanced bound. "
        "Models predict only unlimited memory. "
        "With --backend each row says whether the executed mean agrees with simulation and prediction.",
    .set_up = set_up_compare}};

}  // namespace
}  // namespace damocles
