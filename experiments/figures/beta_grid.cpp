#include "experiments/figures/beta_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/figures/volume_vs_processors.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {

std::string GridCell::text() const { return fmt::format("p={} n={}", processors, n); }

std::vector<GridCell> beta_grid(int steps) {
  const auto between = [&](double lo, double hi, int i) {
    return static_cast<std::uint64_t>(std::lround(lo * std::pow(hi / lo, i / (steps - 1.0))));
  };
  std::vector<GridCell> cells;
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t p = between(10, 1000, i);
    const double lowest = std::max(10.0, std::ceil(std::sqrt(static_cast<double>(p))));
    for (int j = 0; j < steps; ++j) cells.push_back({p, between(lowest, 1000, j)});
  }
  return cells;
}

DrawnBetas draw_betas(const Workload& workload, std::uint64_t processors, const std::string& model,
                      std::size_t draws, std::uint64_t seed) {
  const Scenario scenario = Scenario::parse(figure_platform(processors));
  DrawnBetas betas;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const Problem problem(workload, scenario.draw(seed, draw).relative_speeds());
    const auto best = solve_best_beta(model_named(model), problem);
    if (best) betas.found.push_back(*best);
  }
  betas.without = draws - betas.found.size();
  return betas;
}

}  // namespace damocles
