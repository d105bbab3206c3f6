#include "experiments/figures/beta_of_one_size.hpp"

namespace damocles::hpdc14_beta_matrix {
namespace {

const BetaClaim claim{
    .id = "hpdc14.beta-matrix",
    .workload = "matrix:n=40",
    .processors = 100,
    .homogeneous = {2.92, 0.005},  // as printed, with half a unit of its last digit
    .drawn = {2.95, 0.005},
    .phase1_percent = {94.7, 0.05},
    .homogeneous_place = "4.3",
    .drawn_place = "4.3",
    .phase1_place = "4.3",
    .others = {"corrected", "refined"},
};

const Register entries{beta_claim(claim)};

}  // namespace
}  // namespace damocles::hpdc14_beta_matrix
