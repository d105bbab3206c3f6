#include "experiments/figures/beta_of_one_size.hpp"

namespace damocles::hpdc14_beta_outer {
namespace {

const BetaClaim claim{
    .id = "hpdc14.beta-outer",
    .workload = "outer:n=100",
    .processors = 20,
    .homogeneous = {4.1705, 0.00005},  // as printed, with half a unit of its last digit
    .drawn = {4.1679, 0.00005},
    .phase1_percent = {98.5, 0.05},
    .homogeneous_place = "3.6",
    .drawn_place = "3.6",
    .phase1_place = "3.4",
    .others = {"refined"},
};

const Register entries{beta_claim(claim)};

}  // namespace
}  // namespace damocles::hpdc14_beta_outer
