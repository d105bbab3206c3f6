#pragma once

#include <string>
#include <vector>

#include "experiments/figures/judging.hpp"

namespace damocles {

/// One way to draw the speeds, with the figure's own name for it.
struct SpeedScenario {
  std::string label;
  std::string platform;
};

/// A figure of the strategies over ways to draw the speeds: HPDC'14 figures 7 and 8, p=20, n=100,
/// 50 runs per point.
struct ScenarioFigure {
  std::string id;
  std::string statement;
  std::vector<SpeedScenario> scenarios;
  /// A scenario without which the numbers are given a second time, deciding nothing, and why.
  std::string special = {};
  std::string why_special = {};
};

[[nodiscard]] Claim scenario_claim(const ScenarioFigure& figure);

}  // namespace damocles
