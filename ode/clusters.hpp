#pragma once

#include <vector>

#include "ode/field_classes.hpp"
#include "ode/problem.hpp"

namespace damocles {

/// Open tasks come in clusters: two tasks that share indices are open together more often than
/// independence says, so a step that finds one finds others. A pair that shares the indices D is
/// left open by a processor of known fractions x_i, A = prod x_i, with probability
/// 1 - 2A + A^2 / prod_(i in D) x_i; over all processors but the one that steps these multiply.
///
/// @param open  share of the tasks that are open, in (0, 1]
/// @return      per class, the expected number of tasks that a step grants of which a random
/// granted
///              task is one, that task included: E[B^2]/E[B] of the step's tasks B; >= 1
[[nodiscard]] std::vector<double> found_with(const Problem& problem,
                                             const std::vector<FieldClass>& classes, double open);

/// Mean number of tasks of a step that finds any, where a found task has Poisson many neighbours:
/// mu / (1 - e^(-mu)), mu = found_with - 1.
[[nodiscard]] double cluster_size(double found_with);

}  // namespace damocles
