#pragma once

#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// The mean field at one instant of a run of dynamic or dynamic-2phases.
struct FieldInstant {
  double time;                  ///< in tasks at the mean speed of the start
  double open;                  ///< share of the tasks not granted yet [1]
  std::vector<double> known;    ///< mean of x_k = (covered share)^(1/d) [1], shape (groups)
  std::vector<double> outside;  ///< mean of g_k = open / (1 - covered share) [1], shape (groups)
};

/// The trajectory from the start until less than a task is left, even in ln(open). Groups are those
/// of the problem; where speeds drift, all processors are one.
///
/// @param beta      of the switch, where known indices stop growing; > 0, infinity for dynamic
/// @param instants  >= 2
/// Source: docs/explanation/theory.md, section 11; the equations are Lemma 1's where speeds stay.
[[nodiscard]] std::vector<FieldInstant> field_trajectory(const Problem& problem, double beta,
                                                         int instants);

}  // namespace damocles
