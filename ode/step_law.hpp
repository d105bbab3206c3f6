#pragma once

#include <cstddef>
#include <vector>

#include "models/rng.hpp"

namespace damocles {

/// Tasks B that one step finds: a negative binomial law, which a mean and a second factorial moment
/// give; a sum of clusters whose sizes have a logarithmic law, or a binomial where excess < 0.
struct StepLaw {
  double mean = 0;    ///< E[B]
  double excess = 0;  ///< E[B (B - 1)] / E[B] - E[B], > -1

  [[nodiscard]] double nothing() const;  ///< P(B = 0)
  /// The law with this excess that finds `tasks` >= 1 where it finds any.
  [[nodiscard]] static StepLaw finding(double tasks, double excess);
  /// P(B = b | B > 0) for b = 1, 2, ..., most; the last takes what lies beyond.
  [[nodiscard]] std::vector<double> found(std::size_t most) const;
};

/// Draws the tasks that a step finds among so many new cells, for this mean and excess: a
/// beta-binomial law where open tasks are clustered, up to all cells or none; a binomial law where
/// they are spread more evenly than at random.
///
/// The negative binomial law does not know that a step has an end. On a rectangle whose short side
/// is known whole a step finds a whole line or nothing, which it took for clusters of all sizes.
/// @param normal  a standard normal number
[[nodiscard]] double draw_found(const StepLaw& law, double cells, Rng& rng, double normal);

}  // namespace damocles
