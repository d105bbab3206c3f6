#include "experiments/figures/speed_scenarios.hpp"

namespace damocles {
namespace {

const ScenarioFigure figure{
    "hpdc14.fig8",
    "neither the distribution of the speeds nor their dynamics notably affects the strategies",
    {"unif.1:p=20", "unif.2:p=20", "set.3:p=20", "set.5:p=20", "dyn.5:p=20", "dyn.20:p=20"}};

const RegisterClaims entries{{scenario_claim(figure)}};

}  // namespace
}  // namespace damocles
