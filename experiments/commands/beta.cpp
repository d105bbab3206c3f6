#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "damocles_version.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/tables.hpp"
#include "ode/best_beta.hpp"

namespace damocles {
namespace {

struct ModelAnswer {
  std::string model;
  std::optional<BestBeta> best;
  std::string status;
};

/// What a model calls best there, or why nothing.
ModelAnswer ask(const Model& model, const Problem& problem) {
  const std::string silent = model.silent(problem, 1);
  if (!silent.empty()) return {model.name, std::nullopt, silent};
  const auto best = solve_best_beta(model, problem);
  if (best) return {model.name, best, "ok"};
  const bool everywhere = model.predict(problem, std::log(problem.tasks())).has_value();
  return {model.name, std::nullopt,
          everywhere ? "no interior minimum in (0, ln T]"
                     : "no interior minimum where the formula holds"};
}

std::string table_of_betas(const Question& question, const Problem& problem,
                           const std::vector<ModelAnswer>& answers, const TableStyle& style) {
  std::vector<std::vector<std::string>> rows{
      {"model", "beta", "volume_ratio", "phase1_fraction", "beta_homogeneous",
       "volume_ratio_at_beta_homogeneous", "cost_of_beta_homogeneous"}};
  std::string notes;
  for (const auto& [model, best, status] : answers) {
    if (!best) {
      rows.push_back({model, "–", "–", "–", "–", "–", "–"});
      notes += fmt::format("{}: {}\n", model, status);
      continue;
    }
    rows.push_back(
        {model, fmt::format("{:.4f}", best->beta), fmt::format("{:.4f}", best->volume_ratio),
         fmt::format("{:.4f}", best->phase1_fraction),
         fmt::format("{:.4f}", best->beta_homogeneous),
         fmt::format("{:.4f}", best->volume_ratio_at_beta_homogeneous),
         fmt::format("{:.4f} %",
                     100 * (best->volume_ratio_at_beta_homogeneous / best->volume_ratio - 1))});
  }
  return fmt::format(
      "{} on {}: best threshold of dynamic-2phases; lower bound {:.6g} data\n\n{}{}{}",
      question.workload.text(), question.scenario.text(), problem.lower_bound(),
      aligned(rows, style), notes.empty() ? "" : "\n", notes);
}

std::string json(const std::vector<ModelAnswer>& answers) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ModelAnswer& answer : answers) {
    const auto& best = answer.best;
    nlohmann::ordered_json row{{"model", answer.model}};
    const auto put = [&](const char* name, double BestBeta::*member) {
      row[name] = best ? nlohmann::ordered_json(*best.*member) : nlohmann::ordered_json();
    };
    put("beta", &BestBeta::beta);
    put("volume_ratio", &BestBeta::volume_ratio);
    put("phase1_fraction", &BestBeta::phase1_fraction);
    put("beta_homogeneous", &BestBeta::beta_homogeneous);
    put("volume_ratio_at_beta_homogeneous", &BestBeta::volume_ratio_at_beta_homogeneous);
    row["status"] = answer.status;
    rows.push_back(std::move(row));
  }
  const nlohmann::ordered_json whole{{"command", "beta"}, {"version", version}, {"records", rows}};
  return whole.dump(2) + "\n";
}

std::string csv_of_betas(const std::vector<ModelAnswer>& answers) {
  std::string text =
      "model,beta,volume_ratio,phase1_fraction,beta_homogeneous,"
      "volume_ratio_at_beta_homogeneous,status\n";
  for (const auto& [model, best, status] : answers) {
    text += best ? fmt::format("{},{},{},{},{},{},ok\n", model, best->beta, best->volume_ratio,
                               best->phase1_fraction, best->beta_homogeneous,
                               best->volume_ratio_at_beta_homogeneous)
                 : fmt::format("{},,,,,,\"{}\"\n", model, status);
  }
  return text;
}

void answer(const AskOptions& options) {
  Question question = options.question();
  question.strategies = {"dynamic-2phases:beta=1"};
  refuse_unpredicted(question, options.models, "all");
  const Problem problem(question.workload, question.scenario.draw(question.seed, 0));
  std::vector<ModelAnswer> answers;
  for (const auto& name : question.models) answers.push_back(ask(model_named(name), problem));
  const Format format = options.chosen_format();
  write_output(options.output, format == Format::table ? table_of_betas(question, problem, answers,
                                                                        style_for(options.output))
                               : format == Format::csv ? csv_of_betas(answers)
                                                       : json(answers));
}

void set_up_beta(Command command) {
  const auto options = std::make_shared<AskOptions>();
  options->add_question(command);
  options->add_models(command);
  options->add_output(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles beta outer:n=100 homogeneous:p=20 --model paper\n"
      "      4.1705, as HPDC'14 says in section 3.6\n"
      "  damocles beta matrix:n=40 uniform:p=100,lo=10,hi=100 --format json\n"
      "      all models, for the speeds that seed 1 draws\n");
  command.runs([options] { answer(*options); });
}

const Register beta_command{CommandEntry{.name = "beta",
                                         .place = 20,
                                         .description =
                                             "The best threshold of dynamic-2phases: minimises "
                                             "the predicted volume of each model over beta, "
                                             "where phase 2 starts with exp(-beta) of the tasks "
                                             "open. Also what it costs to use the threshold "
                                             "of equal speeds instead.",
                                         .set_up = set_up_beta}};

}  // namespace
}  // namespace damocles
