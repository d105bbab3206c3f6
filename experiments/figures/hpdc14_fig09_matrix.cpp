#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles::hpdc14_fig09_matrix {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig9",
    .statement =
        "matrix product: data-aware strategies largely outperform simple ones, two phases load least; the analysis is very accurate for p >= 50",
    .workload = "matrix:n=40",
    .models = {"paper", "corrected", "refined"},
    .analysed_from = 50,
};

const Register entries{volume_claim(figure, of_the_matrix_product())};

}  // namespace
}  // namespace damocles::hpdc14_fig09_matrix
