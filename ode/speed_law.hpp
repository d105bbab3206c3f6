#pragma once

#include <Eigen/Core>

#include "ode/problem.hpp"

namespace damocles {

/// The law of the speeds on a ladder: which speeds there are, how likely each is at the start, and
/// how often a processor climbs or falls to the next.
///
/// Without drift the rungs are the groups of the problem and nobody moves. With drift (dyn.x) a
/// speed is a martingale in the processor's own tasks, s <- max(1, s (1 + u)), of relative variance
/// sigma^2 = x^2/3 a task; s tasks a second make it sigma^2 s^3 ds^2 a second, and y = s^(-1/2) a
/// Bessel process of dimension 4, dy = (sigma/2) dW + (3/8) sigma^2/y dt, whose noise does not
/// depend on y: the rungs are even in y. The rates give each rung the mean 0 and the variance of
/// the speed's own steps; the lowest, s = 1 or far below what is reached, and the highest reflect.
/// docs/explanation/theory.md, section 11.
struct SpeedLaw {
  Eigen::ArrayXd speed;    ///< relative to the mean at the start [1], ascending, shape (rungs)
  Eigen::ArrayXd initial;  ///< share of the processors that start there, shape (rungs), sums to 1
  Eigen::ArrayXd climb;    ///< rate to the next rung [per task at the mean speed], shape (rungs)
  Eigen::ArrayXd fall;     ///< rate to the one before
  double processors = 0;

  /// @param rungs  of the ladder, where speeds drift; >= 8
  [[nodiscard]] static SpeedLaw of(const Problem& problem, int rungs = 64);
};

}  // namespace damocles
