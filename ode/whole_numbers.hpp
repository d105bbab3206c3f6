// Whole numbers at which a search looks first.

#pragma once

#include <cmath>
#include <vector>

namespace damocles {

/// Whole numbers from `first` to `last`, about evenly spaced in their logarithms, at most `most`,
/// ascending. @pre 1 <= first <= last, both whole; most >= 2
[[nodiscard]] inline std::vector<double> whole_numbers(double first, double last, int most) {
  std::vector<double> result;
  for (int i = 0; i < most; ++i) {
    const double at = std::round(first * std::pow(last / first, i / (most - 1.0)));
    if (result.empty() || at > result.back()) result.push_back(at);
  }
  return result;
}

}  // namespace damocles
