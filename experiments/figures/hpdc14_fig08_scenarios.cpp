#include "experiments/figures/speed_scenarios.hpp"

namespace damocles::hpdc14_fig08_scenarios {
namespace {

/// unif.x: U[80, 120] and U[50, 150]; set.x: of {80, 100, 150} and {40, 80, 100, 150, 200}; dyn.x:
/// U[80, 120], then up to +-x % after each task.
const ScenarioFigure figure{
    "hpdc14.fig8",
    "neither the distribution of the speeds nor their dynamics notably affects the strategies",
    {{"unif.1", "unif.1:p=20"},
     {"unif.2", "unif.2:p=20"},
     {"set.3", "set.3:p=20"},
     {"set.5", "set.5:p=20"},
     {"dyn.5", "dyn.5:p=20"},
     {"dyn.20", "dyn.20:p=20"}}};

std::vector<ScenarioTest> tests() {
  return {
      {{"neither the speed distribution nor the dynamic evolution of the speeds notably affect the performance of the heuristics",
        "3.5"},
       impact_is_little},
      {{"asked: whether the speed distribution impacts the ranking of the heuristics", "3.5",
        Weight::remark},
       ranking_is_the_same},
      {{"asked: whether it impacts the accuracy of our analysis", "3.5", Weight::remark},
       analysis_keeps_its_accuracy}};
}

const Register entries{scenario_claim(figure, tests())};

}  // namespace
}  // namespace damocles::hpdc14_fig08_scenarios
