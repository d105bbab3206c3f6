#include "ode/limited_memory/mean_of_draws.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace damocles {

LimitedPrediction mean_of_draws(std::vector<LimitedPrediction> draws) {
  const auto count = static_cast<double>(draws.size());
  LimitedPrediction mean;
  for (LimitedPrediction& one : draws) {
    mean.loads += one.loads / count;
    mean.makespan_s += one.makespan_s / count;
    std::move(one.courses.begin(), one.courses.end(), std::back_inserter(mean.courses));
  }
  if (draws.size() == 1) return mean;
  double squares = 0;
  for (const LimitedPrediction& one : draws) {
    squares += (one.loads - mean.loads) * (one.loads - mean.loads);
  }
  mean.sd_loads = std::sqrt(squares / (count - 1));
  return mean;
}

LimitedRun one_of_draws(const LimitedRun& run, std::size_t count) {
  LimitedRun one = run;
  if (count == 1) return one;
  const auto draws = static_cast<double>(count);
  one.most_loads *= draws;
  if (std::isfinite(run.most_makespan_s)) {
    one.most_makespan_s = draws * run.most_makespan_s - (draws - 1) * run.least_makespan_s();
  }
  return one;
}

}  // namespace damocles
