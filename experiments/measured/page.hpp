#pragma once

#include <string>
#include <vector>

#include "experiments/measured/comparison.hpp"

namespace damocles {

/// What a median has to stay within to be called met.
inline constexpr double loads_goal = 0.02;
inline constexpr double gflops_goal = 0.05;

/// docs/explanation/measured.md: the best news first, how points are simulated, deviations by
/// group, what is known of each that misses a goal, what has no counterpart, and every published
/// point.
/// @param command the words that made it
[[nodiscard]] std::string measured_page(const std::vector<Compared>& compared,
                                        const std::string& command);

}  // namespace damocles
