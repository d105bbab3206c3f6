#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "damocles_version.hpp"
#include "experiments/commands/command_rows.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/prediction/limited_beta.hpp"
#include "experiments/prediction/thresholds.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "ode/best_beta.hpp"

namespace damocles {
namespace {

struct ModelAnswer {
  std::string model;
  std::optional<BestBeta> best;
  std::string why_none;  ///< why there is no best one, or ""
  /// Loads that the recommending model predicts at the better of the two betas, over those at the
  /// recommended one, minus 1.
  std::optional<double> over_recommended;
  std::vector<std::pair<double, double>> curve{};  ///< (beta, predicted volume_ratio), for plots
};

/// The recommended threshold, and what it is worth.
struct Recommendation {
  Threshold threshold;
  BetaRange range;              ///< that loads at most `tolerance` more
  std::optional<double> ratio;  ///< predicted over the lower bound, for the platform's own speeds
  double automatic = 0;         ///< what beta=auto stands for
  double over = 0;              ///< predicted loads of that over those of the threshold, minus 1
  static constexpr double tolerance = 1e-3;
};

struct BetaAnswers {
  Problem problem;
  std::optional<Recommendation> recommended;
  std::vector<ModelAnswer> models;
};

/// Of all models, the one whose best threshold is recommended.
const Model& recommending() { return model_named("refined"); }

std::optional<Recommendation> recommend(const Problem& problem, const Platform& platform) {
  const Workload& workload = problem.workload();
  const auto best = recommended_threshold(workload, platform.processors());
  if (!best) return std::nullopt;
  const Problem equal = problem.with_equal_speeds();
  Recommendation result{
      .threshold = *best,
      .range = nearly_as_good(recommending(), equal, *best, Recommendation::tolerance),
      .ratio = std::nullopt,
      .automatic =
          automatic_beta(chosen_strategy("dynamic-2phases", workload), workload, platform)};
  const auto automatic = recommending().predict(equal, result.automatic);
  if (automatic) result.over = automatic->loads / best->loads - 1;
  const auto here = recommending().predict(problem, best->beta);
  if (here) result.ratio = here->loads / problem.balanced_bound();
  return result;
}

/// What a model calls best there, or why nothing.
ModelAnswer ask(const Model& model, const Problem& problem,
                const std::optional<Recommendation>& recommended) {
  const std::string why_unavailable = model.why_unavailable(problem, 1);
  if (!why_unavailable.empty()) return {model.name, std::nullopt, why_unavailable, {}};
  const bool is_known = recommended && model.name == recommending().name;
  const auto best = solve_best_beta(
      model, problem, is_known ? std::optional(recommended->threshold.beta) : std::nullopt);
  if (best) return {model.name, best, "", {}};
  const bool everywhere = model.predict(problem, std::log(problem.tasks())).has_value();
  return {
      model.name,
      std::nullopt,
      everywhere
          ? fmt::format("no interior minimum for beta from 0 to {:.4g}, ln of the number of tasks",
                        std::log(problem.tasks()))
          : "no interior minimum where the formula holds",
      {}};
}

/// What the recommending model says of the better of two betas, beside the recommended one.
std::optional<double> over_recommended(const BestBeta& best, const Threshold& recommended,
                                       const Problem& equal) {
  std::optional<double> least;
  for (const double beta : {best.beta, best.beta_homogeneous}) {
    const auto there = recommending().predict(equal, beta);
    if (!there) continue;
    const double over = there->loads / recommended.loads - 1;
    least = std::min(over, least.value_or(over));
  }
  return least;
}

/// Where curves begin and end: around the best thresholds of all models.
std::pair<double, double> curve_range(const BetaAnswers& answers) {
  const double end = std::log(answers.problem.tasks());
  std::vector<double> best;
  for (const ModelAnswer& answer : answers.models) {
    if (answer.best) best.push_back(answer.best->beta);
  }
  if (best.empty()) return {end / 40, end};
  const auto [least, most] = std::minmax_element(best.begin(), best.end());
  return {0.4 * *least, std::min(end, 1.6 * *most)};
}

/// What each model predicts of betas in that range; nothing where a formula does not hold.
void add_curves(BetaAnswers& answers) {
  constexpr int points = 41;
  const auto [low, high] = curve_range(answers);
  for (ModelAnswer& answer : answers.models) {
    const Model& model = model_named(answer.model);
    if (!model.why_unavailable(answers.problem, 1).empty()) continue;
    for (int i = 0; i < points; ++i) {
      const double beta = low + (high - low) * i / (points - 1);
      const auto there = model.predict(answers.problem, beta);
      if (!there) continue;
      answer.curve.emplace_back(beta, there->loads / answers.problem.balanced_bound());
    }
  }
}

std::string recommendation(const BetaAnswers& answers) {
  const Problem& problem = answers.problem;
  if (!answers.recommended) {
    const std::string why_unavailable = recommending().why_unavailable(problem, 1);
    return fmt::format(
        "no beta is recommended: {}; beta=auto keeps phase 1 to the last task\n",
        why_unavailable.empty() ? "refined has no interior minimum" : why_unavailable);
  }
  const auto& [threshold, range, ratio, automatic, over] = *answers.recommended;
  std::string text = fmt::format(
      "use beta = {} ({:g} tasks left; {:.2f} to {:.2f} is within {:g} %)\n"
      "  best by the model refined for {:g} processors of equal speeds\n"
      "  beta=auto is {}, from a closed form: {:.2f} % more loads\n",
      shown_beta(threshold.beta), threshold.tasks_left, range.lowest, range.highest,
      100 * Recommendation::tolerance, problem.processors(), shown_beta(automatic),
      100 * std::max(0.0, over));
  if (ratio) {
    text += fmt::format(
        "  with it, refined predicts volume_ratio {:.4f} for the speeds of this platform\n",
        *ratio);
  }
  return text;
}

/// Of columns that need one, and whose name does not say it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> meaning_of_columns{
    {{"beta", "the model's best threshold for the speeds of this platform"},
     {"beta_homogeneous", "its best threshold for equal speeds"},
     {"cost_of_beta_homogeneous",
      "extra loads of the best threshold for equal speeds over beta, by the same model"},
     {"over_recommended",
      "extra loads of the row's better threshold over the recommended beta, by refined for equal speeds"}}};

/// Which columns go first where the table is wider than the screen.
constexpr std::array<std::string_view, 3> first_out{"volume_ratio_at_beta_homogeneous",
                                                    "phase1_fraction", "beta_homogeneous"};

/// Fits the table, and says what its columns are and which are left out.
std::string fitted_table(std::vector<std::vector<std::string>> rows, const TableStyle& style) {
  const auto left_out = fit(rows, style.width, first_out);
  std::string meanings;
  for (const auto& [name, meaning] : meaning_of_columns) {
    if (std::find(rows[0].begin(), rows[0].end(), name) == rows[0].end()) continue;
    meanings += fmt::format("{}: {}\n", name, meaning);
  }
  if (!left_out.empty()) {
    meanings += fmt::format("--format csv also has {}\n", fmt::join(left_out, ", "));
  }
  return aligned(std::move(rows), style) + "\n" + wrapped(meanings, style);
}

std::string table_of_betas(const Experiment& experiment, const BetaAnswers& answers,
                           const TableStyle& style) {
  std::vector<std::vector<std::string>> rows{
      {"model", "beta", "volume_ratio", "phase1_fraction", "beta_homogeneous",
       "volume_ratio_at_beta_homogeneous", "cost_of_beta_homogeneous", "over_recommended"}};
  std::string notes;
  for (const auto& [name, best, why_none, over, curve] : answers.models) {
    if (!best) {
      rows.push_back({name, "–", "–", "–", "–", "–", "–", "–"});
      notes += fmt::format("{}: {}\n", name, why_none);
      continue;
    }
    rows.push_back(
        {name, fmt::format("{:.4f}", best->beta), fmt::format("{:.4f}", best->volume_ratio),
         fmt::format("{:.4f}", best->phase1_fraction),
         fmt::format("{:.4f}", best->beta_homogeneous),
         fmt::format("{:.4f}", best->volume_ratio_at_beta_homogeneous),
         fmt::format("{:.4f} %",
                     100 * (best->volume_ratio_at_beta_homogeneous / best->volume_ratio - 1)),
         over ? fmt::format("{:+.4f} %", 100 * *over) : "–"});
    notes += fmt::format("{}: {}\n", name, model_named(name).summary);
  }
  const std::string heading = fmt::format(
      "{} on {}: best threshold of dynamic-2phases; balanced bound {:.6g} loads\n",
      experiment.workload.text(), experiment.scenario.text(), answers.problem.balanced_bound());
  TableStyle own = style;
  if (own.width == 0) own.width = 80;
  return fmt::format("{}\n{}\n{}\n{}", wrapped(heading, own), recommendation(answers),
                     fitted_table(std::move(rows), own), wrapped(notes, own));
}

/// The columns of numbers in CSV and JSON.
constexpr std::array<std::pair<const char*, double BestBeta::*>, 5> columns_of_best{
    {{"beta", &BestBeta::beta},
     {"volume_ratio", &BestBeta::volume_ratio},
     {"phase1_fraction", &BestBeta::phase1_fraction},
     {"beta_homogeneous", &BestBeta::beta_homogeneous},
     {"volume_ratio_at_beta_homogeneous", &BestBeta::volume_ratio_at_beta_homogeneous}}};

std::optional<double> value_of(const std::optional<BestBeta>& best, double BestBeta::*member) {
  return best ? std::optional(*best.*member) : std::nullopt;
}

std::string status_of(const ModelAnswer& answer) { return answer.best ? "ok" : answer.why_none; }

/// The points of a curve as one text, `beta:volume_ratio beta:volume_ratio`, in JSON too: a line
/// each would hide the answer.
std::string curve_text(const ModelAnswer& answer) {
  std::string text;
  for (const auto& [beta, ratio] : answer.curve) {
    text += fmt::format("{}{:.5g}:{:.6g}", text.empty() ? "" : " ", beta, ratio);
  }
  return text;
}

std::string json(const BetaAnswers& answers) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ModelAnswer& answer : answers.models) {
    nlohmann::ordered_json row{{"model", answer.model}};
    for (const auto& [name, member] : columns_of_best) {
      row[name] = json_number(value_of(answer.best, member));
    }
    row["over_recommended"] = json_number(answer.over_recommended);
    row["status"] = status_of(answer);
    row["curve"] = curve_text(answer);
    rows.push_back(std::move(row));
  }
  nlohmann::ordered_json recommended;
  if (const auto& best = answers.recommended) {
    recommended = {{"beta", best->threshold.beta},      {"tasks_left", best->threshold.tasks_left},
                   {"lowest_beta", best->range.lowest}, {"highest_beta", best->range.highest},
                   {"automatic_beta", best->automatic}, {"volume_ratio", json_number(best->ratio)}};
  }
  return json_text(
      {{"command", "beta"}, {"version", version}, {"recommended", recommended}, {"records", rows}});
}

ValueTable values_of_betas(const Experiment& experiment, const BetaAnswers& answers) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Value(*value) : Value();
  };
  const Value recommended =
      answers.recommended ? Value(answers.recommended->threshold.beta) : Value();
  ValueTable table{{"model"}, {}};
  for (const auto& [name, member] : columns_of_best) table.columns.emplace_back(name);
  table.columns.insert(table.columns.end(), {"over_recommended", "recommended_beta", "status",
                                             "workload", "platform", "curve"});
  for (const ModelAnswer& answer : answers.models) {
    auto& row = table.rows.emplace_back(std::vector<Value>{answer.model});
    for (const auto& [name, member] : columns_of_best) {
      row.push_back(number(value_of(answer.best, member)));
    }
    const std::string curve = curve_text(answer);
    row.insert(row.end(), {number(answer.over_recommended), recommended, status_of(answer),
                           experiment.workload.text(), experiment.scenario.text(),
                           curve.empty() ? Value() : Value(curve)});
  }
  return table;
}

/// The user named no strategy, so the refusal names none.
void refuse_off_grid(const Workload& workload) {
  if (workload.is_grid()) return;
  throw InvalidInput(
      fmt::format("`damocles beta` needs a grid of tasks, which '{}' is not; write {}",
                  workload.text(), grid_workloads));
}

Experiment checked_experiment(const CommonOptions& options) {
  Experiment experiment = options.experiment();
  refuse_off_grid(experiment.workload);
  experiment.strategies = {"dynamic-2phases:beta=1"};
  experiment.models = choose_models(options.models, experiment.scenario.machine());
  refuse_unpredicted(experiment, options.models);
  return experiment;
}

BetaAnswers answers_of(const Experiment& experiment, const Progress& progress) {
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  BetaAnswers answers{Problem(experiment.workload, platform), std::nullopt, {}};
  const auto tell = [&, all = experiment.models.size() + 1](std::size_t done) {
    if (progress) progress(done, all, share_of_rows(done, all));
  };
  tell(0);
  answers.recommended = recommend(answers.problem, platform);
  const Problem equal = answers.problem.with_equal_speeds();
  for (const auto& name : experiment.models) {
    tell(answers.models.size() + 1);
    ModelAnswer one = ask(model_named(name), answers.problem, answers.recommended);
    if (one.best && answers.recommended) {
      one.over_recommended = over_recommended(*one.best, answers.recommended->threshold, equal);
    }
    answers.models.push_back(std::move(one));
  }
  tell(experiment.models.size() + 1);
  return answers;
}

}  // namespace

ValueTable beta_rows(const CommonOptions& options) {
  const Experiment experiment = checked_experiment(options);
  const Progress progress = terminal_progress(options.quiet);
  if (experiment.scenario.machine()) return limited_beta_rows(experiment, progress);
  BetaAnswers answers = answers_of(experiment, progress);
  add_curves(answers);
  return values_of_betas(experiment, answers);
}

namespace {

/// For eyes, or as JSON.
std::string text_of_betas(const Experiment& experiment, const CommonOptions& options) {
  const bool for_eyes = options.chosen_format() == Format::table;
  const TableStyle style = style_for(options.output);
  const Progress progress = terminal_progress(options.quiet);
  if (experiment.scenario.machine()) {
    return for_eyes ? limited_beta_text(experiment, style, progress)
                    : limited_beta_json(experiment, progress);
  }
  BetaAnswers answers = answers_of(experiment, progress);
  if (for_eyes) return table_of_betas(experiment, answers, style);
  add_curves(answers);
  return json(answers);
}

void print_betas(const CommonOptions& options) {
  const bool as_csv = options.chosen_format() == Format::csv;
  write_output(options.output, as_csv ? to_csv(beta_rows(options))
                                      : text_of_betas(checked_experiment(options), options));
}

}  // namespace

extern "C" void damocles_set_up_beta(Command& command) {
  const auto options = std::make_shared<CommonOptions>();
  options->add_experiment(command, true);
  options->add_models(command);
  options->add_output(command);
  command.flag("--quiet", options->quiet, "hide progress and notes; warnings stay");
  command.remove("--summary");  // no row has replicates
  command.footer(
      "EXAMPLES\n"
      "  damocles beta outer:n=100 homogeneous:p=20 --model paper\n"
      "      the model paper finds 4.1705, as HPDC'14 does in section 3.6\n"
      "  damocles beta matrix:n=40 uniform:p=100,lo=10,hi=100 --format json\n"
      "      all models, for the speeds that seed 1 draws\n"
      "  damocles beta gemm2d:n=50 gpus:k=1,memory=75data\n"
      "      on a GPU that holds three quarters of the data items\n"
      "  damocles beta outer:n=30 uniform:p=5,lo=10,hi=100 -o beta.csv && damocles plot beta.csv\n"
      "      draws what each model predicts over beta, and its minimum\n");
  command.runs([options] { print_betas(*options); });
}

}  // namespace damocles
