// The model box-growth at many thresholds of dynamic-2phases at once.

#pragma once

#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {

/// What the model says of dynamic-2phases with each of these thresholds, in tasks left. Phase 1 is
/// the same up to the earliest switch: each draw of it runs once, and each phase 2 goes on from
/// where it stands.
/// @param tasks_left  ascending
/// @pre the workload is a grid of tasks; the options of run.strategy are ignored
[[nodiscard]] std::vector<LimitedPrediction> predict_switches(
    const LimitedRun& run, const std::vector<double>& tasks_left);

}  // namespace damocles
