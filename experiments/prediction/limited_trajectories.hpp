// Runs with limited memory through time, simulated and predicted.

#pragma once

#include <vector>

#include "experiments/prediction/trajectories.hpp"

namespace damocles {

/// Loads, data items in memory and unfinished tasks over time: simulated replicates, and the course
/// that the strategy's model predicts, sampled at the same instants. The model assumes that a
/// processor evicts a data item whenever it loads one into a full memory, and at no other time.
/// @param experiment  with one strategy, on a platform that limits memory
/// @param instants    >= 2, up to a little after the predicted end
/// @throws InvalidInput where no model predicts the strategy, or its model gives totals alone
[[nodiscard]] std::vector<TrajectoryPoint> limited_trajectories(const Experiment& experiment,
                                                                int instants, int threads);

}  // namespace damocles
