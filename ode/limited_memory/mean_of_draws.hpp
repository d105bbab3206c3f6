// The mean of predictions that differ by what was drawn.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {

/// Their mean, the courses of all and, where there are two or more, the standard deviation of their
/// loads. One that does not say is not finite, and so is the mean. @pre at least 1
[[nodiscard]] LimitedPrediction mean_of_draws(std::vector<LimitedPrediction> draws);

/// The same of draw_one(0), draw_one(1), ..., so many of them. @pre count > 0
template <typename DrawOne>
[[nodiscard]] LimitedPrediction mean_of_draws(std::size_t count, DrawOne&& draw_one) {
  std::vector<LimitedPrediction> draws;
  for (std::size_t draw = 0; draw < count; ++draw) draws.push_back(draw_one(draw));
  return mean_of_draws(std::move(draws));
}

/// Draws of a run whose loads differ little from one to the next.
[[nodiscard]] inline std::size_t few_draws(const LimitedRun& run) {
  return run.processors == 1 || run.tasks() > 100'000 ? 1 : 4;
}

}  // namespace damocles
