#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig4",
    .statement = "the analysis is indistinguishable from DynamicOuter2Phases, which loads least",
    .workload = "outer:n=100",
    .models = {"paper", "refined"},
};

const RegisterClaims entries{{volume_claim(figure)}};

}  // namespace
}  // namespace damocles
