#include "ode/model.hpp"

namespace damocles {
namespace {

/// As if every processor computed its share of the tasks and none loaded a data item too many.
std::optional<Prediction> predict_ideal(const Problem& problem, double) {
  return Prediction{.loads = problem.balanced_bound(),
                    .phase1_loads = problem.balanced_bound(),
                    .phase1_fraction = 1,
                    .sd_loads = std::nullopt};
}

const Register ideal_model{Model{.name = "ideal",
                                 .place = 100,
                                 .summary = "the lower bound",
                                 .predict = predict_ideal,
                                 .why_unavailable = without_work}};

}  // namespace
}  // namespace damocles
