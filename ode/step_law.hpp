#pragma once

#include <cstddef>
#include <vector>

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

}  // namespace damocles
