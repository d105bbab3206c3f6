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
using Scenarios = std::vector<SpeedScenario>;

/// A figure of the strategies over ways to draw the speeds: HPDC'14 figures 7 and 8, p=20, n=100,
/// 50 runs per point.
struct ScenarioFigure {
  std::string id;
  std::string statement;
  Scenarios scenarios;
};

/// The outcome of such a figure, which the checks are about.
struct ScenarioRun {
  const Scenarios& scenarios;
  const Volumes& volumes;
  std::uint64_t seed;
};
using ScenarioTest = Test<ScenarioRun>;

/// The workload of both figures.
inline constexpr const char* scenario_workload = "outer:n=100";

/// The mean of every strategy in every scenario lies near its median over the scenarios.
[[nodiscard]] Answer impact_is_little(const ScenarioRun& run);
/// dynamic-2phases < dynamic < random and sorted in every scenario.
[[nodiscard]] Answer ranking_is_the_same(const ScenarioRun& run);
/// The printed formula is within 5 % of dynamic-2phases in every scenario.
[[nodiscard]] Answer analysis_keeps_its_accuracy(const ScenarioRun& run);

[[nodiscard]] Claim scenario_claim(const ScenarioFigure& figure,
                                   const std::vector<ScenarioTest>& tests);

}  // namespace damocles
