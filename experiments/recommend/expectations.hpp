// What models predict of the strategies before they race, so that clear losers need not be
// simulated.

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "experiments/recommend/recommendation.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// The strategies that are to race, and those that are not, as their predictions say.
struct Expectations {
  std::vector<std::string> racing;  ///< the best predicted ones first, then those without
  std::vector<Expected> losers;     ///< the best first
};

/// Predicts the experiment's strategies with limited memory (ode/limited_memory/), where a model
/// speaks of the run and was validated for it.
///
/// A loser is predicted to be behind the best predicted strategy by more than `race_far_behind`,
/// also where both predictions are off by twice what nine of ten are off by at most. It would drop
/// out after one simulated run. Energy is not predicted.
/// @param until  when to stop; what is not predicted by then races
[[nodiscard]] Expectations expectations(const Experiment& experiment, Goal goal,
                                        std::chrono::steady_clock::time_point until);

}  // namespace damocles
