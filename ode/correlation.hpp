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

  /// Relative covariance of the density of open tasks that group g meets at tau with the one it met
  /// `earlier`, beyond what the whole grid shares. A new task shares an index of dimension i with
  /// an older one with chance 1/side, if i is not the dimension in which it is new.
  /// @param total  total(earlier, tau), the same for every g
  [[nodiscard]] double own(std::size_t g, const Excess& total, double earlier, double tau) const;

  /// Relative variance of the number of open tasks when the numbers of known indices are given.
  [[nodiscard]] double all(double tau) const;

 private:
  [[nodiscard]] unsigned dimensions() const { return static_cast<unsigned>(problem_.dimensions()); }
  /// Chance that two tasks of the grid share these indices.
  [[nodiscard]] double anywhere(unsigned shared) const;

  const Problem& problem_;
  unsigned subsets_;  // proper ones: tasks that share every index are one task
};

}  // namespace damocles
