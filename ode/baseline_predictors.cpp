#include "ode/baselines.hpp"
#include "ode/ode_model.hpp"
#include "ode/predictor.hpp"

namespace damocles {
namespace {

/// Counted, not modelled.
std::optional<ValidatedDomain> always_counted() {
  return ValidatedDomain{.expected_error = 0, .limits = {}};
}
/// Above, sorted is approximated.
std::optional<ValidatedDomain> counted_to_its_limit() {
  return ValidatedDomain{.expected_error = 0,
                         .limits = {{DomainQuantity::tasks, static_cast<double>(sorted_limit)}}};
}
/// docs/explanation/theory.md, section 11: at most 1.9 % off where speeds drift, 0.1 % where they
/// do not.
std::optional<ValidatedDomain> random_of_the_field() {
  return ValidatedDomain{
      .expected_error = 0.02, .limits = {{DomainQuantity::tasks_a_processor, 50}}, .drift = true};
}

std::optional<std::string> never_silent(const Model&, const Problem&, double) { return ""; }

// What is counted, not modelled, is shown as the refined model's.
const Register baseline_predictors{
    Predictor{.name = "random",
              .rules = {{"refined",
                         [](const Model&, const Problem& problem, std::span<const double> speeds,
                            double, const Spec&) -> std::optional<Prediction> {
                           return predict_random(problem.workload(), speeds);
                         },
                         never_silent, always_counted},
                        {"ode",
                         [](const Model&, const Problem& problem, std::span<const double>, double,
                            const Spec&) -> std::optional<Prediction> {
                           return predict_ode_random(problem);
                         },
                         never_silent, random_of_the_field}}},
    Predictor{.name = "sorted",
              .rules = {{"refined",
                         [](const Model&, const Problem& problem, std::span<const double> speeds,
                            double, const Spec&) -> std::optional<Prediction> {
                           return predict_sorted(problem.workload(), speeds);
                         },
                         never_silent, counted_to_its_limit}}}};

}  // namespace
}  // namespace damocles
