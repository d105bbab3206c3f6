#include "experiments/figures/beta_of_one_size.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/figures/beta_grid.hpp"

namespace damocles {
namespace {

constexpr std::size_t draws = 100;

bool meets(const Printed& printed, double value) {
  return std::abs(value - printed.value) <= printed.rounding;
}

/// Best betas of the draws.
std::vector<double> drawn(const BetaClaim& claim, const std::string& model, std::uint64_t seed,
                          double& homogeneous) {
  const auto betas =
      draw_betas(Workload::parse(claim.workload), claim.processors, model, draws, seed);
  std::vector<double> values;
  for (const auto& best : betas.found) values.push_back(best.beta);
  homogeneous = betas.found.at(0).beta_homogeneous;
  return values;
}

Finding judge(const BetaClaim& claim, std::uint64_t seed) {
  double homogeneous = 0;
  const auto values = drawn(claim, "paper", seed, homogeneous);
  Extremes range;
  for (const double value : values) range.see(value, "");
  const double phase1 = -100 * std::expm1(-claim.drawn.value);
  const Sample spread = sample(values);
  std::vector<Check> checks{
      {meets(claim.homogeneous, homogeneous),
       fmt::format("formula's best beta for equal speeds {:.4f}, printed {}", homogeneous,
                   claim.homogeneous.value)},
      {claim.drawn.value >= range.min - claim.drawn.rounding &&
           claim.drawn.value <= range.max + claim.drawn.rounding,
       fmt::format("{:.4f} to {:.4f} over {} draws (mean {:.4f}, sd {:.4f}), printed {} for one",
                   range.min, range.max, values.size(), spread.mean, spread.sd, claim.drawn.value)},
      {meets(claim.phase1_percent, phase1),
       fmt::format("1 - exp(-{}) = {:.2f} % of the tasks in phase 1, printed {} %",
                   claim.drawn.value, phase1, claim.phase1_percent.value)}};
  for (const char* model : {"corrected", "refined"}) {
    if (model == std::string("corrected") && Workload::parse(claim.workload).dimensions() == 2)
      continue;  // the same formula
    const Sample other = sample(drawn(claim, model, seed, homogeneous));
    checks.push_back({std::nullopt, fmt::format("{} model {:.4f}, over draws {:.4f} (sd {:.4f})",
                                                model, homogeneous, other.mean, other.sd)});
  }
  return judged(checks);
}

}  // namespace

Claim beta_claim(const BetaClaim& claim) {
  return {claim.id,
          fmt::format("best beta {} for equal speeds, {} for one draw of U[10,100], {} % of the "
                      "tasks in phase 1",
                      claim.homogeneous.value, claim.drawn.value, claim.phase1_percent.value),
          fmt::format("{}, p={}, {} draws of U[10,100]; the paper's formula, no runs",
                      claim.workload, claim.processors, draws),
          [](std::uint64_t) { return std::vector<Question>(); },
          [=](const std::vector<Record>&, std::uint64_t seed) { return judge(claim, seed); }};
}

}  // namespace damocles
