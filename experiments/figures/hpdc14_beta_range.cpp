#include <fmt/format.h>

#include <algorithm>

#include "experiments/figures/beta_grid.hpp"
#include "models/parallel.hpp"

namespace damocles::hpdc14_beta_range {
namespace {

/// 16 values of p times 16 of n, each with equal speeds and with one draw of U[10, 100].
constexpr int steps = 16;
/// "From 1 to 6.2": as printed, with half a unit of the last digit.
constexpr std::array<double, 2> lowest{0.5, 1.5};
constexpr double highest = 6.25;

struct Range {
  Extremes equal;           ///< beta for equal speeds
  Extremes drawn;           ///< beta for drawn speeds
  Extremes p_above;         ///< p of the sizes whose beta is above the printed range
  Extremes n_above;         ///< and n
  std::size_t above = 0;    ///< how many these are
  Extremes n_without;       ///< n of the sizes without an interior minimum
  std::size_t without = 0;  ///< how many these are
};

void see(Range& range, const GridCell& cell, const DrawnBetas& betas) {
  const auto n = static_cast<double>(cell.n);
  if (betas.found.empty()) {
    ++range.without;
    range.n_without.see(n, cell.text());
    return;
  }
  const BestBeta& best = betas.found.front();
  range.equal.see(best.beta_homogeneous, cell.text());
  range.drawn.see(best.beta, cell.text());
  if (std::max(best.beta, best.beta_homogeneous) < highest) return;
  ++range.above;
  range.p_above.see(static_cast<double>(cell.processors), cell.text());
  range.n_above.see(n, cell.text());
}

Range range_over_grid(const std::vector<GridCell>& cells, std::uint64_t seed) {
  std::vector<DrawnBetas> betas(cells.size());
  in_parallel(cells.size(), [&](std::size_t i) {
    betas[i] =
        draw_betas(Workload::outer(cells[i].n, cells[i].n), cells[i].processors, "paper", 1, seed);
  });
  Range range;
  for (std::size_t i = 0; i < cells.size(); ++i) see(range, cells[i], betas[i]);
  return range;
}

Answers judge(const std::vector<Record>&, std::uint64_t seed) {
  const auto cells = beta_grid(steps);
  const Range range = range_over_grid(cells, seed);
  const auto& [equal, drawn, p_above, n_above, above, n_without, without] = range;
  const double low = std::min(equal.min, drawn.min);
  std::string where_without;
  if (without > 0) where_without = fmt::format(", {} to {}", n_without.at_min, n_without.at_max);
  return {{holds_or_not(low >= lowest[0] && low < lowest[1], "the lowest rounds to 1",
                        fmt::format("{:.3f} ({}) for equal speeds, {:.3f} ({}) for drawn ones",
                                    equal.min, equal.at_min, drawn.min, drawn.at_min)),
           holds_but(above, cells.size(),
                     above == 0 ? ""
                                : fmt::format("p <= {}, n >= {}: {} of {} sizes", p_above.max,
                                              n_above.min, above, cells.size()),
                     "none rounds to more than 6.2",
                     fmt::format("highest {:.3f} ({}) for equal speeds, {:.3f} ({}) for drawn ones",
                                 equal.max, equal.at_max, drawn.max, drawn.at_max))},
          {fmt::format("the formula has no interior minimum at {} of {} sizes{}", without,
                       cells.size(), where_without)}};
}

const Register entries{Claim{
    "hpdc14.beta-range",
    "the best beta goes from 1 to 6.2",
    "outer, p in [10,1000], n in [max(10, sqrt p), 1000], 256 sizes, equal speeds and one draw of "
    "U[10,100]; the paper's formula, no runs",
    {{"the optimal value for beta goes from 1 ...", "3.6"}, {"... to 6.2", "3.6"}},
    [](std::uint64_t) { return std::vector<Experiment>(); },
    judge}};

}  // namespace
}  // namespace damocles::hpdc14_beta_range
