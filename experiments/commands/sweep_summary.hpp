#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/studies/points.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// Rows that are asked for together, and what they are of.
struct SweepPoint {
  Values values;
  std::string workload;
  std::string platform;
  std::size_t rows;
};

/// The best strategy of each workload and platform, a line each, which begins with the values of
/// what was `varied` where these tell the settings apart. Of more than ten one line: how often each
/// is the best.
[[nodiscard]] std::string best_by_setting(const std::vector<std::string>& varied,
                                          const std::vector<SweepPoint>& points,
                                          const std::vector<Record>& records);

}  // namespace damocles
