#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig10",
    .statement =
        "matrix product of 10^6 tasks: data-aware strategies largely outperform the simple ones, "
        "two phases load least; the analysis is very accurate for p >= 50; the standard deviation "
        "is typically below 0.1",
    .workload = "matrix:n=100",
    .models = {"paper", "corrected", "refined"},
    .analysed_from = 50,
};

const RegisterClaims entries{{volume_claim(figure)}};

}  // namespace
}  // namespace damocles
