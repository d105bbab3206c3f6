#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig1",
    .statement =
        "data-aware strategies load significantly less than random and sorted ones; the "
        "standard deviation is typically below 0.1 and never changes the ranking",
    .workload = "outer:n=100",
    .models = {},
};

const RegisterClaims entries{{volume_claim(figure)}};

}  // namespace
}  // namespace damocles
