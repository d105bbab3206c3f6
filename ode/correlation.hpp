#pragma once

#include <array>
#include <cstddef>

#include "ode/problem.hpp"

namespace damocles {

/// Correlation of the open tasks (section 7). Two tasks that share some indices are both covered by
/// a processor more often than independence says, so the chance that both are open exceeds the
/// product by the factor e^excess, excess = sum over processors of (P(both) - P(one) P(other)) /
/// P(open)^2.
class Correlation {
 public:
  using Excess = std::array<double, 8>;  ///< by the set of shared indices, one bit each

  /// `problem` outlives it.
  explicit Correlation(const Problem& problem);

  /// Of one processor of group g, between tasks met at two instants. @pre earlier <= tau
  [[nodiscard]] Excess of(std::size_t g, double earlier, double tau) const;
  /// Of all processors.
  [[nodiscard]] Excess total(double earlier, double tau) const;

  /// Relative covariance of the densities of open tasks that group g meets at tau and met
  /// `earlier`, each over the density outside what it covered then.
  /// @param total  total(earlier, tau), the same for every g
  [[nodiscard]] double own(std::size_t g, const Excess& total, double earlier, double tau) const;
  /// Expected relative density that group g meets at tau, less 1: the ratio of two numbers that
  /// vary together.
  /// @param total  total(tau, tau)
  [[nodiscard]] double bias(std::size_t g, const Excess& total, double tau) const;

  /// Relative variance of the number of open tasks when the numbers of known indices are given.
  [[nodiscard]] double all(double tau) const;

 private:
  [[nodiscard]] unsigned dimensions() const { return static_cast<unsigned>(problem_.dimensions()); }
  using Sides = std::array<double, 3>;
  /// Chances that two tasks share these indices, where group g covers `then` and later `now`: a
  /// task is met through one new index, or lies anywhere outside the box.
  struct Shared {
    double met_met;  ///< one met then, the other now
    double met_out;  ///< one met then, the other outside now
    double out_met;  ///< one outside then, the other met now
    double out_out;
  };
  [[nodiscard]] Shared shared_by(unsigned shared, const Sides& then, const Sides& now) const;
  /// Chance that two tasks of the grid share these indices.
  [[nodiscard]] double anywhere(unsigned shared) const;

  const Problem& problem_;
  unsigned subsets_;  // proper ones: tasks that share every index are one task
};

}  // namespace damocles
