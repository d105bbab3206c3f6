#include "experiments/prediction/predictions.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "experiments/prediction/limited_predictions.hpp"
#include "models/platforms/heterogeneity.hpp"
#include "ode/predictor.hpp"

namespace damocles {
namespace {

/// What models may know of the strategy, or nothing.
const Predictor* predictor_of(const ResolvedStrategy& resolved) {
  return Table<Predictor>::find(resolved.choice.entry->name);
}

/// All of a run without a threshold is phase 1.
constexpr double endless = std::numeric_limits<double>::infinity();

/// Whether the prediction lies where its model was compared with simulation, and how far off it
/// was.
void set_trust(Record& record, const std::optional<ValidatedDomain>& domain, const Problem& problem,
               double beta) {
  if (!domain) {
    record.domain = "not validated";
    return;
  }
  const std::string why = why_outside(*domain, problem, beta);
  record.domain = why.empty() ? "inside" : "outside validated domain: " + why;
  if (why.empty()) record.expected_error = domain->expected_error;
}

Record unlimited_prediction(const Experiment& experiment, const ResolvedStrategy& resolved,
                            const Model& model, std::uint64_t replicate) {
  const Platform platform = experiment.scenario.draw(experiment.seed, replicate);
  const Problem problem(experiment.workload, platform);
  Record record = make_record(experiment, resolved, replicate);
  record.source = "predicted";
  record.model = model.name;
  record.heterogeneity = heterogeneity(platform.speeds);
  const Predictor* const predictor = predictor_of(resolved);
  const auto prediction = predictor == nullptr
                              ? std::nullopt
                              : predictor->predict(model, problem, platform.speeds,
                                                   resolved.beta.value_or(0), resolved.choice.spec);
  if (!prediction) {
    record.status = {Status::Kind::outside_domain};
    return record;
  }
  set_volume(record, prediction->loads, volume_bounds(experiment.workload, platform));
  if (prediction->sd_loads) record.sd = *prediction->sd_loads / problem.balanced_bound();
  record.makespan_s = prediction->makespan_s;
  set_trust(record, predictor->domain(model), problem, resolved.beta.value_or(endless));
  return record;
}

}  // namespace

std::string why_no_prediction(const std::string& name, const Experiment& experiment,
                              const ResolvedStrategy& resolved) {
  if (experiment.scenario.machine()) return why_not_predicted(name, experiment, resolved);
  if (Table<LimitedModel>::find(name) != nullptr) {
    return fmt::format(
        "model {} is of limited memory, and '{}' does not limit it; give a platform as gpus:k={},memory=500MB",
        name, experiment.scenario.text(), experiment.scenario.processors());
  }
  const Model& model = model_named(name);
  if (!experiment.workload.is_grid()) {
    return fmt::format(
        "models predict grids of tasks, which '{}' is not; simulate it, or predict {}",
        experiment.workload.text(), grid_workloads);
  }
  const std::size_t p = experiment.scenario.processors();
  const Problem equal(experiment.workload, std::vector<double>(p, 1 / static_cast<double>(p)));
  const std::string what = fmt::format("model {} does not predict strategy '{}' on '{}'",
                                       model.name, resolved.asked, experiment.workload.text());
  const Predictor* const predictor = predictor_of(resolved);
  const auto why = predictor != nullptr
                       ? predictor->why_unavailable(model, equal, resolved.beta.value_or(0))
                       : std::nullopt;
  if (why && why->empty()) return "";
  if (why) {
    const bool exact = Table<Model>::named("exact").why_unavailable(equal, 1).empty();
    return fmt::format("{}: {}; {}", what, *why, exact ? "try --model exact" : "simulate it");
  }
  return fmt::format(
      "{}; all models predict dynamic and dynamic-2phases; refined also predicts random, sorted, hybrid, "
      "static-columns and static-nrrp (outer product), static-cuboids (matrix product)",
      what);
}

Record prediction(const Experiment& experiment, const ResolvedStrategy& resolved,
                  const std::string& model, std::uint64_t replicate) {
  if (experiment.scenario.machine()) {
    return limited_prediction(experiment, resolved, model, replicate);
  }
  return unlimited_prediction(experiment, resolved, model_named(model), replicate);
}

}  // namespace damocles
