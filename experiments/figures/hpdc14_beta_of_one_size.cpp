// The best thresholds that HPDC'14 prints for one size of each product.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/figures/beta_grid.hpp"
#include "experiments/figures/judging.hpp"

namespace damocles::hpdc14_beta_of_one_size {
namespace {

/// A number the paper prints, and how far its rounding lets the true one be from it.
struct Printed {
  double value;
  double rounding;
};

/// The thresholds that HPDC'14 prints for one size: for equal speeds, and for a draw of U[10, 100]
/// that it does not give, whose share of tasks in phase 1 it prints too.
struct BetaClaim {
  std::string id;
  std::string workload;
  std::uint64_t processors;
  Printed homogeneous;
  Printed drawn;
  Printed phase1_percent;
  std::string beta_place;  ///< sections of the thresholds, and of the share
  std::string phase1_place;
  std::vector<std::string> others;  ///< models to compare the paper's with
};

constexpr std::size_t draws = 100;

/// Share of the tasks in phase 1 [%].
double phase1(double beta) { return -100 * std::expm1(-beta); }

bool meets(const Printed& printed, double value) {
  return std::abs(value - printed.value) <= printed.rounding;
}

/// Whether some beta that is printed so gives a share that is printed so.
Answer share_in_phase1(const BetaClaim& claim) {
  const auto [beta, rounding] = claim.drawn;
  const double low = phase1(beta - rounding);
  const double high = phase1(beta + rounding);
  const Printed& share = claim.phase1_percent;
  return holds_or_not(low <= share.value + share.rounding && high >= share.value - share.rounding,
                      "1 - exp(-beta) meets it within the rounding of both",
                      fmt::format("1 - exp(-{}) = {:.2f} % ({:.2f} to {:.2f} with its rounding)",
                                  beta, phase1(beta), low, high));
}

/// What another model says to the equal speeds and to the first draw.
std::string another_model(const BetaClaim& claim, const std::string& model, std::uint64_t seed) {
  const auto betas = draw_betas(Workload::parse(claim.workload), claim.processors, model, 1, seed);
  if (betas.found.empty()) return model + " model has no minimum";
  return fmt::format("{} model {:.4f} for equal speeds, {:.4f} for the first draw", model,
                     betas.found[0].beta_homogeneous, betas.found[0].beta);
}

Answers judge(const BetaClaim& claim, std::uint64_t seed) {
  const auto betas =
      draw_betas(Workload::parse(claim.workload), claim.processors, "paper", draws, seed);
  std::vector<double> values;
  Extremes range;
  for (const auto& best : betas.found) {
    values.push_back(best.beta);
    range.see(best.beta, "");
  }
  const double equal = betas.found.at(0).beta_homogeneous;
  const Sample spread = sample(values);
  const auto [drawn, rounding] = claim.drawn;
  Answers answers{
      {holds_or_not(meets(claim.homogeneous, equal), "to the printed digits",
                    fmt::format("{:.4f}", equal)),
       holds_or_not(drawn >= range.min - rounding && drawn <= range.max + rounding,
                    "within the range of our draws; the paper's draw is not known",
                    fmt::format("{:.4f} to {:.4f} over {} draws (mean {:.4f}, sd {:.4f})",
                                range.min, range.max, values.size(), spread.mean, spread.sd)),
       share_in_phase1(claim)}};
  for (const auto& model : claim.others) answers.also.push_back(another_model(claim, model, seed));
  return answers;
}

Claim beta_claim(const BetaClaim& claim) {
  return {
      claim.id,
      fmt::format(
          "best beta {} for equal speeds, {} for one draw of U[10,100], {} % of the tasks in phase 1",
          claim.homogeneous.value, claim.drawn.value, claim.phase1_percent.value),
      fmt::format("{}, p={}, {} draws of U[10,100]; the paper's formula, no runs", claim.workload,
                  claim.processors, draws),
      {{fmt::format("beta is {} when assuming homogeneous speeds", claim.homogeneous.value),
        claim.beta_place},
       {fmt::format("it is {} for heterogeneous speeds", claim.drawn.value), claim.beta_place},
       {fmt::format("this corresponds to {} % of the tasks being processed in the first phase",
                    claim.phase1_percent.value),
        claim.phase1_place, Weight::remark}},
      [](std::uint64_t) { return std::vector<Experiment>(); },
      [=](const std::vector<Record>&, std::uint64_t seed) { return judge(claim, seed); }};
}

const Register entries{// As printed, with half a unit of the last digit.
                       beta_claim({.id = "hpdc14.beta-outer",
                                   .workload = "outer:n=100",
                                   .processors = 20,
                                   .homogeneous = {4.1705, 0.00005},
                                   .drawn = {4.1679, 0.00005},
                                   .phase1_percent = {98.5, 0.05},
                                   .beta_place = "3.6",
                                   .phase1_place = "3.4",
                                   .others = {"refined"}}),
                       beta_claim({.id = "hpdc14.beta-matrix",
                                   .workload = "matrix:n=40",
                                   .processors = 100,
                                   .homogeneous = {2.92, 0.005},
                                   .drawn = {2.95, 0.005},
                                   .phase1_percent = {94.7, 0.05},
                                   .beta_place = "4.3",
                                   .phase1_place = "4.3",
                                   .others = {"corrected", "refined"}})};

}  // namespace
}  // namespace damocles::hpdc14_beta_of_one_size
