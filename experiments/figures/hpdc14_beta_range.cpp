#include <fmt/format.h>

#include "experiments/figures/beta_grid.hpp"

namespace damocles {
namespace {

/// 16 values of p times 16 of n, each with equal speeds and with one draw of U[10, 100].
constexpr int steps = 16;
/// "From 1 to 6.2": as printed, with half a unit of the last digit.
constexpr std::array<double, 2> lowest{0.5, 1.5};
constexpr std::array<double, 2> highest{6.15, 6.25};

Finding judge(const std::vector<Record>&, std::uint64_t seed) {
  const auto cells = beta_grid(steps);
  std::vector<DrawnBetas> betas(cells.size());
  for_each_cell(cells.size(), [&](std::size_t i) {
    betas[i] =
        draw_betas(Workload::outer(cells[i].n, cells[i].n), cells[i].processors, "paper", 1, seed);
  });
  Extremes equal;
  Extremes drawn;
  Extremes without;
  Extremes above;  // sizes, by p
  std::size_t none = 0;
  std::size_t too_high = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    none += betas[i].without;
    if (betas[i].without > 0) without.see(static_cast<double>(cells[i].n), cells[i].text());
    for (const auto& best : betas[i].found) {
      equal.see(best.beta_homogeneous, cells[i].text());
      drawn.see(best.beta, cells[i].text());
      if (std::max(best.beta, best.beta_homogeneous) < highest[1]) continue;
      ++too_high;
      above.see(static_cast<double>(cells[i].processors), cells[i].text());
    }
  }
  const double low = std::min(equal.min, drawn.min);
  const double high = std::max(equal.max, drawn.max);
  return judged(
      {{low >= lowest[0] && low < lowest[1],
        fmt::format("lowest {:.3f} ({}) for equal speeds, {:.3f} ({}) for drawn ones, printed 1",
                    equal.min, equal.at_min, drawn.min, drawn.at_min)},
       {high >= highest[0] && high < highest[1],
        fmt::format("highest {:.3f} ({}) for equal speeds, {:.3f} ({}) for drawn ones, printed 6.2",
                    equal.max, equal.at_max, drawn.max, drawn.at_max)},
       {std::nullopt,
        fmt::format("the formula has no interior minimum in {} of {} cells{}", none, cells.size(),
                    none > 0 ? fmt::format(", {} to {}", without.at_min, without.at_max) : "")}});
}

const RegisterClaims entries{
    {{"hpdc14.beta-range", "the best beta goes from 1 to 6.2",
      "outer, p in [10,1000], n in [max(10, sqrt p), 1000], 256 sizes, "
      "equal speeds and one draw of U[10,100]; the paper's formula, no runs",
      [](std::uint64_t) { return std::vector<Question>(); }, judge}}};

}  // namespace
}  // namespace damocles
