#pragma once

#include <array>
#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// What the chances that two tasks are both open say of the next step of a processor (section 8).
///
/// Index sets of different processors are independent, so two tasks that share the indices D, and
/// no others, are both open with w_D times the square of the chance of one: w_D is a product over
/// processors. Every count below is of ordered pairs of cells, by D; tasks are open outside the box
/// that the processor covers, and their number is given.
class PairClosure {
 public:
  using Sides = std::array<double, 3>;    ///< known indices, whole numbers
  using Weights = std::array<double, 8>;  ///< by the set of shared indices, one bit each

  /// `problem` outlives it.
  explicit PairClosure(const Problem& problem);

  /// w_D of one processor that knows so many indices: (1 - 2A + P(both covered)) / (1 - A)^2.
  [[nodiscard]] Weights of(const Sides& known) const;

  /// A step, which adds an index in each dimension that is not known whole. @pre open tasks remain
  /// outside the box
  struct Step {
    double found;   ///< chance that it finds a given open task
    double both;    ///< chance that it finds two given open tasks
    double cells;   ///< tasks, open or not, that it adds
    double spread;  ///< relative variance of the density that steps meet, beyond one step's
  };
  /// @param others  w_D of all other processors together
  [[nodiscard]] Step step(const Sides& known, const Weights& others) const;

 private:
  [[nodiscard]] double pairs_within(unsigned shared, const Sides& box) const;
  [[nodiscard]] double pairs_across(unsigned shared, const Sides& inner, const Sides& outer) const;
  [[nodiscard]] double share_of_met(unsigned shared, const Sides& known, const Sides& met) const;
  [[nodiscard]] double share_met_out(unsigned shared, const Sides& known, const Sides& met) const;

  /// Sets of shared indices that count alike: where all extents are equal, those of one size.
  struct Subset {
    unsigned shared;
    double count;
  };

  unsigned dimensions_;
  std::vector<Subset> subsets_;  // proper ones: tasks that share every index are one task
  Sides extents_{};
  double tasks_;
};

}  // namespace damocles
