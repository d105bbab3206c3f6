// The mean of predictions that differ by what was drawn.

#pragma once

#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {

/// Their mean and, where there are two or more, the standard deviation of their loads. One that
/// does not say is not finite, and so is the mean. @pre at least 1
[[nodiscard]] LimitedPrediction mean_of_draws(const std::vector<LimitedPrediction>& draws);

}  // namespace damocles
