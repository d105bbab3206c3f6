#pragma once

#include <string>
#include <vector>

#include "experiments/figures/judging.hpp"

namespace damocles {

/// A figure of the strategies over ways to draw the speeds: HPDC'14 figures 7 and 8, p=20, n=100,
/// 50 runs per point.
struct ScenarioFigure {
  std::string id;
  std::string statement;
  std::vector<std::string> platforms;
};

[[nodiscard]] Claim scenario_claim(const ScenarioFigure& figure);

}  // namespace damocles
