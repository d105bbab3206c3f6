#include "ode/baselines.hpp"
#include "ode/ode_model.hpp"
#include "ode/predictor.hpp"

namespace damocles {
namespace {

std::optional<std::string> never_silent(const Model&, const Problem&, double) { return ""; }

// What is counted, not modelled, is shown as the refined model's.
const Register baseline_predictors{
    Predictor{.name = "random",
              .said = {{"refined",
                        [](const Model&, const Problem& problem, std::span<const double> speeds,
                           double, const Spec&) -> std::optional<Prediction> {
                          return predict_random(problem.workload(), speeds);
                        },
                        never_silent},
                       {"ode",
                        [](const Model&, const Problem& problem, std::span<const double>, double,
                           const Spec&) -> std::optional<Prediction> {
                          return predict_ode_random(problem);
                        },
                        never_silent}}},
    Predictor{.name = "sorted",
              .said = {{"refined",
                        [](const Model&, const Problem& problem, std::span<const double> speeds,
                           double, const Spec&) -> std::optional<Prediction> {
                          return predict_sorted(problem.workload(), speeds);
                        },
                        never_silent}}}};

}  // namespace
}  // namespace damocles
