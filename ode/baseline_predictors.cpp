#include "ode/baselines.hpp"
#include "ode/ode_model.hpp"
#include "ode/predictor.hpp"

namespace damocles {
namespace {

// What is counted, not modelled, is shown as the refined model's.
const Register baseline_predictors{
    Predictor{
        .name = "random",
        .predict = [](const Model& model, const Problem& problem, std::span<const double> speeds,
                      double) -> std::optional<Prediction> {
          if (model.name == "refined") return predict_random(problem.workload(), speeds);
          if (model.name == "ode") return predict_ode_random(problem);
          return std::nullopt;
        },
        .silent = [](const Model& model, const Problem&, double) -> std::optional<std::string> {
          if (model.name == "refined" || model.name == "ode") return "";
          return std::nullopt;
        }},
    Predictor{
        .name = "sorted",
        .predict = [](const Model& model, const Problem& problem, std::span<const double> speeds,
                      double) -> std::optional<Prediction> {
          if (model.name == "refined") return predict_sorted(problem.workload(), speeds);
          return std::nullopt;
        },
        .silent = [](const Model& model, const Problem&, double) -> std::optional<std::string> {
          if (model.name == "refined") return "";
          return std::nullopt;
        }}};

}  // namespace
}  // namespace damocles
