#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/agreement.hpp"
#include "experiments/command.hpp"
#include "experiments/execution.hpp"
#include "experiments/run_options.hpp"
#include "experiments/run_summary.hpp"

namespace damocles {
namespace {

/// Simulated and predicted means of one strategy.
struct Line {
  Record simulated;
  std::vector<std::optional<Record>> predicted;  // shape (models)
};

std::vector<Line> lines(const std::vector<Record>& summaries, const Question& question) {
  std::vector<Line> result;
  for (const auto& strategy : question.strategies) {
    Line line{{}, std::vector<std::optional<Record>>(question.models.size())};
    for (const auto& record : summaries) {
      if (record.strategy != strategy) continue;
      if (record.source == "simulated") line.simulated = record;
      for (std::size_t m = 0; m < question.models.size(); ++m) {
        if (record.source == "predicted" && record.model == question.models[m]) {
          line.predicted[m] = record;
        }
      }
    }
    result.push_back(std::move(line));
  }
  std::stable_sort(result.begin(), result.end(), [](const Line& a, const Line& b) {
    return a.simulated.volume_ratio < b.simulated.volume_ratio;
  });
  return result;
}

std::string real(const Record::Real& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "–";
}

std::string table(const std::vector<Line>& lines, const Question& question) {
  std::vector<std::vector<std::string>> rows{{"strategy", "beta", "loads", "ratio", "sd"}};
  for (const auto& model : question.models) {
    rows[0].push_back(model);
    rows[0].emplace_back("error");
    if (model == "refined") rows[0].emplace_back("sd");
  }
  for (const auto& [simulated, predicted] : lines) {
    auto& row = rows.emplace_back(std::vector<std::string>{
        simulated.strategy, real(simulated.beta, "{:.4f}"), real(simulated.loads, "{:.1f}"),
        real(simulated.volume_ratio, "{:.4f}"), real(simulated.sd, "{:.4f}")});
    for (std::size_t m = 0; m < predicted.size(); ++m) {
      const auto ratio = predicted[m] ? predicted[m]->volume_ratio : std::nullopt;
      row.push_back(real(ratio, "{:.4f}"));
      row.push_back(ratio ? fmt::format("{:+.2f} %", 100 * (*ratio / *simulated.volume_ratio - 1))
                          : "–");
      if (question.models[m] == "refined") {
        row.push_back(real(predicted[m] ? predicted[m]->sd : std::nullopt, "{:.4f}"));
      }
    }
  }
  const auto& first = lines.front().simulated;
  return fmt::format(
      "{} on {}: {} tasks, {} data, {} processors; lower bound {:.6g} loads\n"
      "mean of {} simulated run(s), seed {}; ratio = loads / lower bound; each model's ratio and "
      "its "
      "relative error\n\n{}",
      question.workload.text(), question.scenario.text(), question.workload.tasks(),
      question.workload.data(), question.scenario.processors(), *first.lower_bound,
      question.replicates, question.seed, aligned(rows));
}

/// The model whose predictions stand beside executed runs: it alone has a band.
constexpr const char* banded_model = "refined";

std::string percent(const std::optional<double>& share, const char* format) {
  return share ? fmt::format(fmt::runtime(format), 100 * *share) : "–";
}

std::string table(const std::vector<Agreement>& rows, const Question& question,
                  const std::string& backend) {
  std::vector<std::vector<std::string>> lines{{"strategy", "beta", "predicted", "sd", "simulated",
                                               "sd", "executed", "sd", "exec/sim", "within",
                                               "makespan", "verdict"}};
  for (const Agreement& row : rows) {
    const auto& predicted = row.predicted;
    lines.push_back({row.strategy, real(row.simulated.beta, "{:.4f}"),
                     real(predicted ? predicted->volume_ratio : std::nullopt, "{:.4f}"),
                     real(predicted ? predicted->sd : std::nullopt, "{:.4f}"),
                     real(row.simulated.volume_ratio, "{:.4f}"), real(row.simulated.sd, "{:.4f}"),
                     real(row.executed.volume_ratio, "{:.4f}"), real(row.executed.sd, "{:.4f}"),
                     percent(row.difference, "{:+.2f} %"), percent(row.allowed, "{:.2f} %"),
                     percent(row.makespan_error, "{:+.1f} %"), row.verdict()});
  }
  return fmt::format(
      "{} on {}, executed on {}: {} tasks, {} data, {} processors; lower bound {:.6g} loads\n"
      "means of {} simulated and {} executed run(s), seed {}; volume = loads / lower bound\n"
      "verdict: does the executed mean lie within the 95 % interval of the simulated one (within), "
      "and in the predicted band (2 sd)?\n\n{}",
      question.workload.text(), question.scenario.text(), backend, question.workload.tasks(),
      question.workload.data(), question.scenario.processors(), *rows.front().simulated.lower_bound,
      *rows.front().simulated.n, *rows.front().executed.n, question.seed, aligned(lines));
}

nlohmann::ordered_json to_json(const std::vector<Agreement>& rows) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  auto result = nlohmann::ordered_json::array();
  for (const Agreement& row : rows) {
    result.push_back(
        {{"strategy", row.strategy},
         {"predicted", number(row.predicted ? row.predicted->volume_ratio : std::nullopt)},
         {"simulated", number(row.simulated.volume_ratio)},
         {"executed", number(row.executed.volume_ratio)},
         {"difference", row.difference},
         {"allowed", row.allowed},
         {"makespan_error", number(row.makespan_error)},
         {"verdict", row.verdict()}});
  }
  return result;
}

/// Predicted, simulated and executed.
void compare_executed(const AskOptions& options, const RunOptions& run_options) {
  const Question question = options.question();
  ExecutionOptions how = run_options.parsed();
  how.keep_events = true;
  Workbench bench(question, how);
  auto records = run_jobs(jobs(question), options.threads(), terminal_progress());
  const double peak = bench.peak_flops_per_s();
  const auto runs = run_executions(bench, question, terminal_progress());
  for (const Executed& run : runs) records.push_back(run.record);
  const auto rows = agreements(records, banded_model, [&](std::uint64_t replicate) {
    const double paced = bench.time_scale(question.scenario.draw(question.seed, replicate));
    return paced == 0 && question.scenario.limits() ? 1 : paced;
  });
  switch (options.chosen_format()) {
    case Format::table:
      if (rows.empty()) break;  // the first run failed
      write_output(options.output, table(rows, question, how.backend) + "\n" +
                                       run_summary(runs, bench.device(), peak));
      break;
    case Format::json: {
      auto whole = nlohmann::ordered_json::parse(to_json(records, "compare"));
      whole["agreement"] = to_json(rows);
      whole["execution"] = nlohmann::ordered_json::parse(run_details(runs, bench.device(), peak));
      write_output(options.output, whole.dump(2) + "\n");
      break;
    }
    case Format::csv:
      options.write(records, "compare");
  }
  const std::string& failure = runs.back().execution.failure;
  if (!failure.empty()) {
    throw std::runtime_error(fmt::format("{} failed: {}", runs.back().record.strategy, failure));
  }
}

void compare(const AskOptions& options) {
  const Question question = options.question();
  const auto records = run_jobs(jobs(question), options.threads(), terminal_progress());
  if (options.chosen_format() == Format::table) {
    write_output(options.output, table(lines(summarise(records), question), question));
    return;
  }
  // Other formats: the rows themselves, strategies by simulated volume.
  std::vector<Record> sorted;
  for (const auto& line : lines(summarise(records), question)) {
    std::copy_if(records.begin(), records.end(), std::back_inserter(sorted),
                 [&](const Record& record) { return record.strategy == line.simulated.strategy; });
  }
  options.write(sorted, "compare");
}

}  // namespace

void add_compare_command(CLI::App& program) {
  const auto options = std::make_shared<AskOptions>();
  const auto run = std::make_shared<RunOptions>();
  auto* const command =
      program.add_subcommand("compare",
                             "Predicted beside simulated, and with --backend beside executed: each "
                             "strategy's mean volume over the lower bound, every model's "
                             "prediction of it and its relative error, strategies sorted by "
                             "volume. Executed, each row has a "
                             "verdict.");
  options->add_question(*command);
  options->add_strategies(*command);
  options->add_models(*command);
  options->add_runs(*command);
  run->add_to(*command, true);
  options->add_output(*command);
  command->footer(
      "EXAMPLES\n"
      "  damocles compare outer:n=100 uniform:p=20,lo=10,hi=100 --strategies all\n"
      "  damocles compare matrix:n=40 homogeneous:p=100 --strategies "
      "dynamic-2phases:beta=2,dynamic-2phases:beta=3 --replicates 100\n"
      "  damocles compare outer:n=100 uniform:p=20,lo=10,hi=100 --backend host --pace 500us\n");
  command->callback([options, run] {
    run->backend.empty() ? compare(*options) : compare_executed(*options, *run);
  });
}

}  // namespace damocles
