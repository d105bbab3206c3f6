// The mean of predictions that differ by what was drawn.

#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {

/// Their mean, the courses of all and, where there are two or more, the standard deviation of their
/// loads. One that does not say is not finite, and so is the mean. @pre at least 1
[[nodiscard]] LimitedPrediction mean_of_draws(std::vector<LimitedPrediction> draws);

/// The run as one of so many draws. Where one draw breaks its limits, the mean breaks those of the
/// run.
[[nodiscard]] LimitedRun one_of_draws(const LimitedRun& run, std::size_t count);

/// The same of draw_one(one_of_draws(run, count), 0), then of 1, ..., so many of them. Where one
/// breaks a limit there are no more. @pre count > 0
template <typename DrawOne>
[[nodiscard]] LimitedPrediction mean_of_draws(const LimitedRun& run, std::size_t count,
                                              DrawOne&& draw_one) {
  const LimitedRun one = one_of_draws(run, count);
  std::vector<LimitedPrediction> draws;
  for (std::size_t draw = 0; draw < count; ++draw) {
    draws.push_back(draw_one(one, draw));
    if (std::isinf(draws.back().loads)) return draws.back();
  }
  return mean_of_draws(std::move(draws));
}

/// Draws of a run whose loads differ little from one to the next.
[[nodiscard]] inline std::size_t few_draws(const LimitedRun& run) {
  return run.processors == 1 || run.tasks() > 100'000 ? 1 : 4;
}

}  // namespace damocles
