#include "ode/correlation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace damocles {

Correlation::Correlation(const Problem& problem)
    : problem_(problem), subsets_((1U << static_cast<unsigned>(problem.dimensions())) - 1) {}

Correlation::Excess Correlation::of(std::size_t g, double earlier, double tau) const {
  const double share = problem_.groups()[g].share;
  const auto now = problem_.sides(share * tau);
  const auto then = problem_.sides(share * earlier);
  Excess excess{};
  for (unsigned shared = 0; shared < subsets_; ++shared) {
    double both = 1;
    double apart = 1;
    for (unsigned index = 0; index < dimensions(); ++index) {
      const double n = problem_.extent(static_cast<int>(index));
      const double x = now[index] / n;
      const double x0 = then[index] / n;
      apart *= x * x0;
      // Two different indices of one set are drawn without replacement.
      const double other = n > 1 ? std::max(0.0, (now[index] - 1) / (n - 1)) : 0.0;
      both *= x0 * ((shared >> index & 1U) != 0 ? 1 : other);
    }
    // Chances are not negative, though their approximation may be.
    const double relative = (both - apart) * std::exp(share * (tau + earlier));
    excess[shared] = std::log1p(std::max(relative, -0.99));
  }
  return excess;
}

Correlation::Excess Correlation::total(double earlier, double tau) const {
  Excess sum{};
  for (std::size_t g = 0; g < problem_.groups().size(); ++g) {
    const auto excess = of(g, earlier, tau);
    for (unsigned i = 0; i < subsets_; ++i) sum[i] += problem_.groups()[g].count * excess[i];
  }
  return sum;
}

Correlation::Shared Correlation::shared_by(unsigned shared, const Sides& then,
                                           const Sides& now) const {
  // Products over the indices shared and over the others, of the grid and of the two boxes.
  double grid = 1;
  double grid_others = 1;
  double box_then = 1;
  double box_now = 1;
  double then_others = 1;
  double now_others = 1;
  double inside = 1;
  double known = 1;
  for (unsigned i = 0; i < dimensions(); ++i) {
    const double n = problem_.extent(static_cast<int>(i));
    const bool is_shared = (shared >> i & 1U) != 0;
    grid *= n;
    box_then *= then[i];
    box_now *= now[i];
    if (is_shared) {
      known /= std::max(1.0, now[i]);
      inside *= then[i] / std::max(now[i], 1e-300);
    } else {
      grid_others *= n;
      then_others *= then[i];
      now_others *= now[i];
    }
  }
  const double out_then = std::max(1.0, grid - box_then);
  const double out_now = std::max(1.0, grid - box_now);
  const double through = std::popcount(shared) / static_cast<double>(dimensions());
  return {(1 - through) * known, (grid_others - now_others) / out_now,
          (grid_others - (1 - through) * inside * then_others) / out_then,
          (grid * grid_others - box_then * grid_others - box_now * grid_others +
           box_then * now_others) /
              (out_then * out_now)};
}

double Correlation::own(std::size_t g, const Excess& total, double earlier, double tau) const {
  const auto self = of(g, earlier, tau);
  const double share = problem_.groups()[g].share;
  const auto then = problem_.sides(share * earlier);
  const auto now = problem_.sides(share * tau);
  double sum = 0;
  for (unsigned shared = 1; shared < subsets_; ++shared) {
    const Shared chance = shared_by(shared, then, now);
    sum += std::expm1(total[shared] - self[shared]) *
           (chance.met_met - chance.met_out - chance.out_met + chance.out_out);
  }
  return sum;
}

double Correlation::bias(std::size_t g, const Excess& total, double tau) const {
  const auto self = of(g, tau, tau);
  const auto now = problem_.sides(problem_.groups()[g].share * tau);
  double sum = 0;
  for (unsigned shared = 1; shared < subsets_; ++shared) {
    const Shared chance = shared_by(shared, now, now);
    sum += std::expm1(total[shared] - self[shared]) * (chance.out_out - chance.out_met);
  }
  return sum;
}

double Correlation::all(double tau) const {
  const auto excess = total(tau, tau);
  double sum = 0;
  for (unsigned shared = 0; shared < subsets_; ++shared) {
    sum += std::expm1(excess[shared]) * anywhere(shared);
  }
  return std::max(0.0, sum);
}

double Correlation::anywhere(unsigned shared) const {
  double chance = 1;
  for (unsigned i = 0; i < dimensions(); ++i) {
    if ((shared >> i & 1U) != 0) chance /= problem_.extent(static_cast<int>(i));
  }
  return chance;
}

}  // namespace damocles
