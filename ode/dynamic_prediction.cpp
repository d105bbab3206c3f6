#include <limits>

#include "ode/baselines.hpp"
#include "ode/predictor.hpp"

namespace damocles {
namespace {

/// All of `dynamic` is phase 1.
constexpr double endless = std::numeric_limits<double>::infinity();

/// Without phase 1 it is `random`.
const Predictor& without_phase_1() { return Table<Predictor>::named("random"); }

const Register dynamic_predictors{
    Predictor{.name = "dynamic",
              .rules = {{"",
                         [](const Model& model, const Problem& problem, std::span<const double>,
                            double, const Spec&) { return model.predict(problem, endless); },
                         [](const Model& model, const Problem& problem,
                            double) -> std::optional<std::string> {
                           return model.why_unavailable(problem, endless);
                         }}}},
    Predictor{.name = "dynamic-2phases",
              .rules = {{"",
                         [](const Model& model, const Problem& problem,
                            std::span<const double> speeds, double beta, const Spec& spec) {
                           return beta > 0 ? model.predict(problem, beta)
                                           : without_phase_1().predict(model, problem, speeds, beta,
                                                                       spec);
                         },
                         [](const Model& model, const Problem& problem,
                            double beta) -> std::optional<std::string> {
                           if (beta > 0) return model.why_unavailable(problem, beta);
                           return without_phase_1().why_unavailable(model, problem, beta);
                         }}}}};

}  // namespace
}  // namespace damocles
