#include <algorithm>
#include <cmath>

#include "ode/model.hpp"

namespace damocles {

std::optional<Prediction> predict_exact(const Problem& problem, double beta) {
  if (problem.tasks() < problem.processors()) return std::nullopt;
  if (problem.processors() == 1) {
    const auto all = static_cast<double>(problem.workload().data());
    return Prediction{all, all, -std::expm1(-beta), std::nullopt};
  }
  // The fluid has no last task; `dynamic` is taken to end when less than one task is left.
  const double tau = std::min(beta, std::log(problem.tasks()));
  Prediction result{0, 0, -std::expm1(-beta), std::nullopt};
  for (const auto& group : problem.groups()) {
    const double L = group.share * tau;
    const double held = problem.data(L);
    result.phase1_loads += group.count * held;
    if (std::isinf(beta)) continue;
    // A random task outside the covered box needs each of its inputs with probability
    // (1 - known fraction of that kind) / (1 - A).
    const auto side = problem.sides(L);
    double known = 0;
    if (problem.dimensions() == 2) {
      known = side[0] / problem.extent(0) + side[1] / problem.extent(1);
    } else {
      const double x = side[0] / problem.extent(0);
      const double y = side[1] / problem.extent(1);
      const double z = side[2] / problem.extent(2);
      known = x * z + z * y + x * y;
    }
    const double loads_a_task = (problem.dimensions() - known) / std::exp(-L);
    const double draws = std::exp(-beta) * problem.tasks() * group.share;
    result.loads += group.count * draws * loads_a_task;
  }
  result.loads = possible_loads(problem, result.loads + result.phase1_loads);
  return result;
}

namespace {

const Register exact_model{
    Model{.name = "exact",
          .place = 3,
          .summary = "closed form of the ODEs, without series expansion",
          .predict = predict_exact,
          .why_unavailable = without_work,
          .domain = ValidatedDomain{.expected_error = 0.05,
                                    .limits = {{DomainQuantity::tasks_a_processor, 25},
                                               {DomainQuantity::speed_ratio, 30},
                                               {DomainQuantity::side_ratio, 10},
                                               {DomainQuantity::left_a_processor, 2},
                                               {DomainQuantity::drawn_on_a_line, 0.1}}}}};

}  // namespace
}  // namespace damocles
