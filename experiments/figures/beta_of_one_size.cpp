#include "experiments/figures/beta_of_one_size.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/figures/beta_grid.hpp"

namespace damocles {
namespace {

constexpr std::size_t draws = 100;

/// Share of the tasks in phase 1 [%].
double phase1(double beta) { return -100 * std::expm1(-beta); }

bool meets(const Printed& printed, double value) {
  return std::abs(value - printed.value) <= printed.rounding;
}

/// Whether some beta that is printed so gives a share that is printed so.
Check share_in_phase1(const BetaClaim& claim) {
  const auto [beta, rounding] = claim.drawn;
  const double low = phase1(beta - rounding);
  const double high = phase1(beta + rounding);
  const Printed& share = claim.phase1_percent;
  return {
      low <= share.value + share.rounding && high >= share.value - share.rounding,
      fmt::format("1 - exp(-{}) = {:.2f} % ({:.2f} to {:.2f} with its rounding) of the tasks in "
                  "phase 1, printed {} %",
                  beta, phase1(beta), low, high, share.value)};
}

/// What another model says to the equal speeds and to the first draw.
Check another_model(const BetaClaim& claim, const std::string& model, std::uint64_t seed) {
  const auto betas = draw_betas(Workload::parse(claim.workload), claim.processors, model, 1, seed);
  if (betas.found.empty()) return {std::nullopt, model + " model has no minimum"};
  return {std::nullopt, fmt::format("{} model {:.4f} for equal speeds, {:.4f} for the first draw",
                                    model, betas.found[0].beta_homogeneous, betas.found[0].beta)};
}

Finding judge(const BetaClaim& claim, std::uint64_t seed) {
  const auto betas =
      draw_betas(Workload::parse(claim.workload), claim.processors, "paper", draws, seed);
  if (betas.found.empty()) return judged({{false, "the formula has no interior minimum"}});
  std::vector<double> values;
  Extremes range;
  for (const auto& best : betas.found) {
    values.push_back(best.beta);
    range.see(best.beta, "");
  }
  const double equal = betas.found[0].beta_homogeneous;
  const Sample spread = sample(values);
  const auto [drawn, rounding] = claim.drawn;
  std::vector<Check> checks{
      {meets(claim.homogeneous, equal),
       fmt::format("formula's best beta for equal speeds {:.4f}, printed {}", equal,
                   claim.homogeneous.value)},
      {drawn >= range.min - rounding && drawn <= range.max + rounding,
       fmt::format("{:.4f} to {:.4f} over {} draws (mean {:.4f}, sd {:.4f}), printed {} for one",
                   range.min, range.max, values.size(), spread.mean, spread.sd, drawn)},
      share_in_phase1(claim)};
  for (const auto& model : claim.others) checks.push_back(another_model(claim, model, seed));
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
