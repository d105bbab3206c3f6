#include "ode/step_law.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace damocles
