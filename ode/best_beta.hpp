#pragma once

#include <optional>

#include "ode/model.hpp"

namespace damocles {

/// The threshold a model calls best, and what it costs not to know the speeds.
struct BestBeta {
  double beta;
  double volume_ratio;                      ///< predicted loads over the balanced bound
  double phase1_fraction;                   ///< share of the tasks in phase 1
  double beta_homogeneous;                  ///< the same for p equal speeds
  double volume_ratio_at_beta_homogeneous;  ///< with the actual speeds
};

/// A threshold as the strategy knows it: a whole number of open tasks.
struct Threshold {
  double tasks_left;
  double beta;   ///< beta_of() them
  double loads;  ///< predicted
};

/// The beta with the fewest decimals, two or more, that starts phase 2 with so many tasks open.
/// @pre tasks_left is a whole number, at least 1
[[nodiscard]] double beta_of(const Problem& problem, double tasks_left);

/// The whole number of open tasks, between 1 and all, at which model.predict is smallest.
/// @return nothing where it is smallest at an end of the range: no interior minimum
[[nodiscard]] std::optional<Threshold> best_threshold(const Model& model, const Problem& problem);

/// The betas around a best threshold up to which the model loads at most `within` more, relative;
/// rounded inwards to two decimals where the best one has no more.
struct BetaRange {
  double lowest;
  double highest;
};
[[nodiscard]] BetaRange nearly_as_good(const Model& model, const Problem& problem,
                                       const Threshold& best, double within);

/// The beta that a model calls best: best_threshold() of a model that counts tasks; else the
/// minimum of model.predict over beta in (0, ln T], by Boost.Math's Brent after a scan for the
/// first valley.
/// @return nothing where the model is smallest at an end of the range, or of that part of it in
///         which it says something: no interior minimum
[[nodiscard]] std::optional<double> best_beta(const Model& model, const Problem& problem);

/// @param at_equal_speeds  best_beta() of the model for equal speeds, where it is known
/// @return nothing where either the given or the equal speeds have no interior minimum, or where
///         the model says nothing of the given speeds at the threshold of the equal ones
[[nodiscard]] std::optional<BestBeta> solve_best_beta(const Model& model, const Problem& problem,
                                                      std::optional<double> at_equal_speeds = {});

/// A whole number of open tasks that loads about as little as best_threshold() of the model
/// `refined`, from a closed form: microseconds, where a search may take seconds. That is the mean
/// field, whose phase 2 draws open tasks at random and loads each data item once.
/// @param equal  processors of equal speeds
/// @return nothing where the least is at an end of the range
[[nodiscard]] std::optional<double> quick_tasks_left(const Problem& equal);

}  // namespace damocles
