#pragma once

#include <limits>
#include <vector>

#include "ode/field_classes.hpp"
#include "ode/problem.hpp"

namespace damocles {

/// Where the mean field's processors stand when `dynamic-2phases` switches.
///
/// The mean field takes tasks one by one and at random. Real steps take clusters of open tasks, of
/// which the last crosses the threshold, and processors have met different ones. Near the end,
/// where a cluster is no longer small beside what is open, this decides how much is known.
/// Derivation and assumptions: docs/explanation/theory.md, section 11, "The switch".

/// What a step grants, of processors that have met the same.
struct StepSizes {
  double found = 1;  ///< E[B^2]/E[B] of its tasks B
  double step = 0;   ///< E[B]
  double past = 0;   ///< integral of found over the open tasks, in tau
  double luck = 0;   ///< integral of found - step over the open tasks, in tau
};

/// Tasks that are open together.
struct Clusters {
  double smallest = std::numeric_limits<double>::infinity();  ///< mean size, the least so far
  std::vector<StepSizes> sizes{};  ///< shape (classes); where speeds drift their mean, shape (1)
};

/// Mean over the tasks granted now: processors are granted tasks as their speed.
[[nodiscard]] double over_granted(const std::vector<FieldClass>& classes,
                                  const std::vector<double>& values);

/// Advances the field to `last` or to its last cluster. What is open is only ever taken from, so
/// clusters do not grow.
[[nodiscard]] Clusters advance_with_clusters(const Problem& problem, MeanField& field, double last);

/// The switch of one run, expected.
class PhaseSwitch {
 public:
  /// @param field     advanced to the threshold with `clusters`
  /// @param threshold open tasks, > 0
  PhaseSwitch(const Problem& problem, const MeanField& field, const Clusters& clusters,
              double threshold);

  /// Expected tasks that it leaves to phase 2.
  [[nodiscard]] double open() const { return open_; }
  /// Of the mean field that covers as much.
  [[nodiscard]] double tau() const { return tau_; }
  /// Each class as two, a standard deviation of L above and below its mean.
  [[nodiscard]] std::vector<FieldClass> spread_out(const std::vector<FieldClass>& classes) const;

 private:
  struct Deviation {
    double lead = 0;  ///< of the mean L
    double luck = 0;  ///< variance of L over share (1 - share)
  };

  double open_;
  double tau_;
  std::vector<Deviation> deviations_;  // shape (classes), or (1) where speeds drift
};

}  // namespace damocles
