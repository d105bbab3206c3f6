#pragma once

#include <optional>

#include "ode/model.hpp"

namespace damocles {

/// The threshold a model calls best, and what it costs not to know the speeds.
struct BestBeta {
  double beta;
  double volume_ratio;                      ///< predicted loads over the lower bound
  double phase1_fraction;                   ///< share of the tasks in phase 1
  double beta_homogeneous;                  ///< the same for p equal speeds
  double volume_ratio_at_beta_homogeneous;  ///< with the actual speeds
};

/// Minimises model.predict over beta in (0, ln T] (Boost.Math's Brent, after a scan for the
/// valley).
/// @return nothing where the model is smallest at an end of the range, or of that part of it in
///         which it says something: no interior minimum
[[nodiscard]] std::optional<double> best_beta(const Model& model, const Problem& problem);

/// @return nothing where either the given or the equal speeds have no interior minimum, or where
///         the model says nothing of the given speeds at the threshold of the equal ones
[[nodiscard]] std::optional<BestBeta> solve_best_beta(const Model& model, const Problem& problem);

}  // namespace damocles
