#include <fmt/format.h>

#include <algorithm>

#include "experiments/figures/beta_grid.hpp"
#include "experiments/parallel.hpp"

namespace damocles {
namespace {

/// 16 values of p times 16 of n, each with equal speeds and with one draw of U[10, 100].
constexpr int steps = 16;
/// "From 1 to 6.2": as printed, with half a unit of the last digit.
constexpr std::array<double, 2> lowest{0.5, 1.5};
constexpr std::array<double, 2> highest{6.15, 6.25};

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
  if (std::max(best.beta, best.beta_homogeneous) < highest[1]) return;
  ++range.above;
  range.p_above.see(static_cast<double>(cell.processors), cell.text());
  range.n_above.see(n, cell.text());
}

Range range_over_grid(const std::vector<GridCell>& cells, std::uint64_t seed) {
  std::vector<DrawnBetas> betas(cells.size());
  for_each_in_parallel(cells.size(), 0, [&](std::size_t i) {
    betas[i] =
        draw_betas(Workload::outer(cells[i].n, cells[i].n), cells[i].processors, "paper", 1, seed);
  });
  Range range;
  for (std::size_t i = 0; i < cells.size(); ++i) see(range, cells[i], betas[i]);
  return range;
}

Finding judge(const std::vector<Record>&, std::uint64_t seed) {
  const auto cells = beta_grid(steps);
  const Range range = range_over_grid(cells, seed);
  const auto& [equal, drawn, p_above, n_above, above, n_without, without] = range;
  const double low = std::min(equal.min, drawn.min);
  const double high = std::max(equal.max, drawn.max);
  std::string where_above;
  if (above > 0) {
    where_above = fmt::format(", above it in {} of {} sizes, all with p <= {} and n >= {}", above,
                              cells.size(), p_above.max, n_above.min);
  }
  std::string where_without;
  if (without > 0) where_without = fmt::format(", {} to {}", n_without.at_min, n_without.at_max);
  return judged(
      {{low >= lowest[0] && low < lowest[1],
        fmt::format("lowest {:.3f} ({}) for equal speeds, {:.3f} ({}) for drawn ones, printed 1",
                    equal.min, equal.at_min, drawn.min, drawn.at_min)},
       {high >= highest[0] && high < highest[1],
        fmt::format("highest {:.3f} ({}) for equal speeds, {:.3f} ({}) for drawn ones, printed "
                    "6.2{}",
                    equal.max, equal.at_max, drawn.max, drawn.at_max, where_above)},
       {std::nullopt, fmt::format("the formula has no interior minimum at {} of {} sizes{}",
                                  without, cells.size(), where_without)}});
}

const RegisterClaims entries{{{"hpdc14.beta-range", "the best beta goes from 1 to 6.2",
                               "outer, p in [10,1000], n in [max(10, sqrt p), 1000], 256 sizes, "
                               "equal speeds and one draw of "
                               "U[10,100]; the paper's formula, no runs",
                               [](std::uint64_t) { return std::vector<Question>(); }, judge}}};

}  // namespace
}  // namespace damocles
