#include "ode/step_law.hpp"

#include <algorithm>
#include <cmath>

#include "ode/log_gamma.hpp"

namespace damocles {

double StepLaw::nothing() const {
  if (std::abs(excess) < 1e-9) return std::exp(-mean);
  return std::exp(-mean * std::log1p(excess) / excess);
}

StepLaw StepLaw::finding(double tasks, double excess) {
  // E[B | B > 0] grows with the mean, from excess / ln(1 + excess).
  const auto taken = [&](double at) { return at / (1 - StepLaw{at, excess}.nothing()); };
  double low = 1e-9 * tasks;
  double high = tasks;
  for (int i = 0; i < 60 && high - low > 1e-10 * tasks; ++i) {
    const double middle = (low + high) / 2;
    (taken(middle) < tasks ? low : high) = middle;
  }
  return {(low + high) / 2, excess};
}

std::vector<double> StepLaw::found(std::size_t most) const {
  std::vector<double> chances(most, 0);
  const double scale = std::log1p(excess);
  double log_chance = std::log(mean) - scale - std::log1p(-nothing());
  log_chance -= std::abs(excess) < 1e-9 ? mean : mean * scale / excess;
  double rest = 1;
  for (std::size_t b = 1; b < most; ++b) {
    const auto count = static_cast<double>(b);
    chances[b - 1] = std::min(rest, std::exp(log_chance));
    rest -= chances[b - 1];
    const double more = mean + count * excess;
    // A binomial ends; rounding leaves it a trace.
    if (more < 1e-5 * mean) break;
    log_chance += std::log(more / (count + 1)) - scale;
    if (count > mean && log_chance < -40) break;
  }
  chances[most - 1] = std::max(0.0, rest);
  return chances;
}

namespace {

/// Walks through 0, 1, ..., most by the ratios of their chances, which start at `nothing`.
template <typename Ratio>
double walk(double uniform, double nothing, double mean, double most, Ratio&& ratio) {
  double chance = nothing;
  for (double b = 0; b < most; ++b) {
    uniform -= chance;
    if (uniform < 0) return b;
    if (b > mean && chance < 1e-18) return b;
    chance *= ratio(b);
  }
  return most;
}

}  // namespace

double draw_found(const StepLaw& law, double cells, Rng& rng, double normal) {
  constexpr double many = 20;
  const double mean = law.mean;
  const double excess = law.excess;
  if (mean >= cells) return cells;
  // A sum of that many clusters is normal.
  if (mean > many * (1 + std::max(0.0, excess)) && mean > 2 * many) {
    return std::clamp(std::round(mean + std::sqrt(mean * (1 + excess)) * normal), 1.0, cells);
  }
  const double uniform = rng.uniform();
  const double one = mean / cells;                                       // a cell is open
  const double other = cells > 1 ? (mean + excess) / (cells - 1) : one;  // if another one is
  if (other <= one) {
    return walk(uniform, law.nothing(), mean, cells, [&](double b) {
      return std::max(0.0, mean + b * excess) / ((b + 1) * (1 + excess));
    });
  }
  if (other > 1 - 1e-9) return uniform < one ? cells : 0;
  // The share of open cells has a beta law with parameters a and b.
  const double sum = (1 - other) / (other - one);
  const double a = one * sum;
  const double b = sum - a;
  const double nothing =
      std::exp(log_gamma(sum) + log_gamma(b + cells) - log_gamma(b) - log_gamma(sum + cells));
  return walk(uniform, nothing, mean, cells, [&](double found) {
    const double rest = cells - found;
    return rest / (found + 1) * (a + found) / (b + rest - 1);
  });
}

}  // namespace damocles
