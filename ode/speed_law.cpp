#include "ode/speed_law.hpp"

#include <algorithm>
#include <cmath>

namespace damocles {
namespace {

/// y of each rung, descending: from as slow to as fast as anybody comes, which is eight standard
/// deviations and the floor; even below the mean speed's y = 1, where the noise is what matters,
/// and ever wider above it.
Eigen::ArrayXd ladder(const Problem& problem, double noise, int rungs) {
  double quickest = 0;
  double slowest = 0;
  for (const auto& group : problem.groups()) {
    const double y = 1 / std::sqrt(group.share * problem.processors());
    quickest = quickest == 0 ? y : std::min(quickest, y);
    slowest = std::max(slowest, y);
  }
  const double tasks = problem.tasks() / problem.processors();
  const double reach = 8 * noise * std::sqrt(tasks);
  const double floor = std::max(std::sqrt(problem.drift()->mean_speed), slowest);
  const double low = std::max(0.0, quickest - reach);
  const double high = std::min(floor, slowest + reach);
  const double step = (std::asinh(high) - std::asinh(low)) / rungs;
  return (std::asinh(high) - step * (Eigen::ArrayXd::LinSpaced(rungs, 0, rungs - 1) + 0.5)).sinh();
}

/// Puts each group between two rungs so that its speed is right on average.
Eigen::ArrayXd starts(const Problem& problem, const Eigen::ArrayXd& speed) {
  Eigen::ArrayXd result = Eigen::ArrayXd::Zero(speed.size());
  for (const auto& group : problem.groups()) {
    const double weight = group.count / problem.processors();
    const double v =
        std::clamp(group.share * problem.processors(), speed[0], speed[speed.size() - 1]);
    const auto above = std::clamp<Eigen::Index>(
        std::upper_bound(speed.begin(), speed.end(), v) - speed.begin(), 1, speed.size() - 1);
    const double part = (v - speed[above - 1]) / (speed[above] - speed[above - 1]);
    result[above] += weight * part;
    result[above - 1] += weight * (1 - part);
  }
  return result;
}

SpeedLaw of_groups(const Problem& problem) {
  const auto groups = static_cast<Eigen::Index>(problem.groups().size());
  SpeedLaw law{Eigen::ArrayXd(groups), Eigen::ArrayXd(groups), Eigen::ArrayXd::Zero(groups),
               Eigen::ArrayXd::Zero(groups), problem.processors()};
  for (Eigen::Index g = 0; g < groups; ++g) {
    const auto& group = problem.groups()[static_cast<std::size_t>(g)];
    law.speed[g] = group.share * law.processors;
    law.initial[g] = group.count / law.processors;
  }
  return law;
}

}  // namespace

SpeedLaw SpeedLaw::of(const Problem& problem, int rungs) {
  if (!problem.drift()) return of_groups(problem);
  const double variance = problem.drift()->reach * problem.drift()->reach / 3;
  const Eigen::ArrayXd y = ladder(problem, std::sqrt(variance) / 2, rungs);
  SpeedLaw law{y.pow(-2),
               {},
               Eigen::ArrayXd::Zero(rungs),
               Eigen::ArrayXd::Zero(rungs),
               problem.processors()};
  law.initial = starts(problem, law.speed);
  for (Eigen::Index i = 1; i + 1 < rungs; ++i) {
    const double up = law.speed[i + 1] - law.speed[i];
    const double down = law.speed[i] - law.speed[i - 1];
    const double spread = variance * std::pow(law.speed[i], 3) / (up + down);
    law.climb[i] = spread / up;
    law.fall[i] = spread / down;
  }
  // At the ends the flux through the inner face of the cell, of the density over y^3.
  const auto inward = [&](Eigen::Index end, Eigen::Index next) {
    const double gap = y[end] - y[next];
    return variance / 8 / (gap * gap) * std::pow(1 - gap / 2 / y[end], 3);
  };
  law.climb[0] = inward(0, 1);
  law.fall[rungs - 1] = inward(rungs - 1, rungs - 2);
  return law;
}

}  // namespace damocles
