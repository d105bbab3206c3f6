#include <fmt/format.h>

#include <cmath>

#include "experiments/figures/beta_grid.hpp"
#include "models/parallel.hpp"

namespace damocles::hpdc14_beta_agnostic {
namespace {

/// 9 values of p times 9 of n, 100 draws of U[10, 100] each.
constexpr int steps = 9;
constexpr std::size_t draws = 100;
constexpr double asked_deviation = 0.045;
constexpr double asked_difference = 0.05;
constexpr double asked_error = 0.001;

/// One size: how much the best beta depends on the speeds, and what it costs not to know them.
struct Spread {
  double deviation = 0;   ///< largest |beta - mean|
  double range = 0;       ///< largest less smallest beta
  double difference = 0;  ///< |beta_hom / mean - 1|
  double error = 0;       ///< volume predicted with beta_hom over that with the best, less 1
};

Spread spread_of(const DrawnBetas& betas) {
  std::vector<double> values;
  for (const auto& best : betas.found) values.push_back(best.beta);
  const double mean = sample(values).mean;
  Extremes range;
  Spread spread;
  for (const auto& best : betas.found) {
    range.see(best.beta, "");
    spread.error = std::max(
        spread.error, std::abs(best.volume_ratio_at_beta_homogeneous / best.volume_ratio - 1));
  }
  spread.range = range.max - range.min;
  spread.deviation = std::max(range.max - mean, mean - range.min);
  spread.difference = std::abs(betas.found.front().beta_homogeneous / mean - 1);
  return spread;
}

struct Spreads {
  std::vector<GridCell> cells;
  std::vector<Spread> spreads;
};

/// Whether a value is at most `asked` at every size; where not, and where it is largest.
Answer at_most(const Spreads& seen, double Spread::*value, double asked, const std::string& what) {
  Extremes values;
  Extremes broken_p;
  Extremes broken_n;
  std::size_t broken = 0;
  for (std::size_t i = 0; i < seen.cells.size(); ++i) {
    const auto& cell = seen.cells[i];
    const double here = seen.spreads[i].*value;
    values.see(here, cell.text());
    if (here <= asked) continue;
    ++broken;
    broken_p.see(static_cast<double>(cell.processors), "");
    broken_n.see(static_cast<double>(cell.n), "");
  }
  const auto between = [](const char* name, const Extremes& seen_there) {
    return seen_there.min == seen_there.max
               ? fmt::format("{} = {}", name, seen_there.min)
               : fmt::format("{} <= {} <= {}", seen_there.min, name, seen_there.max);
  };
  return holds_but(broken, seen.cells.size(),
                   fmt::format("{}, {}: {} of {} sizes", between("p", broken_p),
                               between("n", broken_n), broken, seen.cells.size()),
                   fmt::format("{} at most {} at every size", what, asked),
                   fmt::format("at most {:.4g} ({})", values.max, values.at_max));
}

Answers judge(const std::vector<Record>&, std::uint64_t seed) {
  std::vector<GridCell> grid = beta_grid(steps);
  std::vector<DrawnBetas> betas(grid.size());
  in_parallel(grid.size(), [&](std::size_t i) {
    betas[i] =
        draw_betas(Workload::outer(grid[i].n, grid[i].n), grid[i].processors, "paper", draws, seed);
  });
  Spreads seen;
  std::size_t without = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    without += betas[i].without;
    if (betas[i].found.size() < 2) continue;
    seen.cells.push_back(grid[i]);
    seen.spreads.push_back(spread_of(betas[i]));
  }
  Extremes range;
  for (std::size_t i = 0; i < seen.cells.size(); ++i)
    range.see(seen.spreads[i].range, seen.cells[i].text());
  return {{at_most(seen, &Spread::deviation, asked_deviation, "|beta - mean|"),
           at_most(seen, &Spread::difference, asked_difference, "|beta_hom / mean - 1|"),
           at_most(seen, &Spread::error, asked_error,
                   "|predicted volume with beta_hom over that with the best - 1|")},
          {fmt::format("largest less smallest beta at most {:.4g} ({})", range.max, range.at_max),
           fmt::format("{} of {} draws have no interior minimum", without, grid.size() * draws)}};
}

const Register entries{Claim{
    "hpdc14.beta-agnostic",
    "over draws of the speeds beta deviates by at most 0.045; that of equal speeds is within 5 % "
    "of their mean and changes the predicted volume by at most 0.1 %",
    "outer, p in [10,1000], n in [max(10, sqrt p), 1000], 81 sizes, 100 draws of U[10,100]; the paper's formula, no runs",
    {{"for fixed N/l and p the deviation among the beta values of different speeds is at most 0.045",
      "3.6"},
     {"the relative difference between beta_hom and their average is always smaller than 5 %",
      "3.6"},
     {"the error on the predicted volume when using homogeneous speeds is at most 0.1 %", "3.6"}},
    [](std::uint64_t) { return std::vector<Experiment>(); },
    judge}};

}  // namespace
}  // namespace damocles::hpdc14_beta_agnostic
