#pragma once

#include <utility>
#include <vector>

#include "ode/mean_field.hpp"

namespace damocles {

/// Processors of a mean field that have met the same.
struct FieldClass {
  double count;
  double L;      ///< -ln(1 - covered share) [1]
  double share;  ///< of the total speed, each, now
  /// Shares of the tasks of phase 2 that one draws, and their probabilities.
  std::vector<std::pair<double, double>> draws;
};

/// The rungs of the field as classes with the same first two moments. Where speeds drift a rung is
/// two classes, the Gauss nodes of the Gamma law of its L, which is never negative; each draws one
/// of two shares, the nodes of what of D does not follow from L.
[[nodiscard]] std::vector<FieldClass> classes(const MeanField& field);

}  // namespace damocles
