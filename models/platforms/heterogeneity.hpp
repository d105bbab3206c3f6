#pragma once

#include <algorithm>
#include <optional>
#include <vector>

namespace damocles {

/// How much speeds differ: (fastest - slowest) / (fastest + slowest); nothing where all are equal.
/// Speeds in [100 - h, 100 + h], as in figure 7 of HPDC'14, have at most h / 100, and nearly that
/// where they are many.
[[nodiscard]] inline std::optional<double> heterogeneity(const std::vector<double>& speeds) {
  if (speeds.empty()) return std::nullopt;
  const auto [slowest, fastest] = std::minmax_element(speeds.begin(), speeds.end());
  if (*slowest == *fastest) return std::nullopt;
  return (*fastest - *slowest) / (*fastest + *slowest);
}

}  // namespace damocles
