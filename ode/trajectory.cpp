#include "ode/trajectory.hpp"

#include <cmath>

#include "ode/field_classes.hpp"

namespace damocles {

std::vector<FieldInstant> field_trajectory(const Problem& problem, double beta, int instants) {
  const SpeedLaw law = SpeedLaw::of(problem);
  MeanField field(law, problem.tasks(), beta);
  const std::size_t groups = problem.drift() ? 1 : problem.groups().size();
  const double end = std::log(problem.tasks()) + 1;
  std::vector<FieldInstant> result;
  for (int i = 0; i < instants; ++i) {
    const double tau = end * i / (instants - 1);
    field.advance(tau);
    FieldInstant now{field.time(), std::exp(-tau), std::vector<double>(groups, 0),
                     std::vector<double>(groups, 0)};
    std::vector<double> counts(groups, 0);
    const auto met = classes(field);
    for (std::size_t c = 0; c < met.size(); ++c) {
      const std::size_t group = groups == 1 ? 0 : c;
      counts[group] += met[c].count;
      now.known[group] +=
          met[c].count * std::pow(-std::expm1(-met[c].L), 1.0 / problem.dimensions());
      now.outside[group] += met[c].count * now.open * std::exp(met[c].L);
    }
    for (std::size_t group = 0; group < groups; ++group) {
      now.known[group] /= counts[group];
      now.outside[group] /= counts[group];
    }
    result.push_back(std::move(now));
  }
  return result;
}

}  // namespace damocles
