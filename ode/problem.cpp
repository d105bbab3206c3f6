#include "ode/problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "models/bounds/grid_bound.hpp"

namespace damocles {

Problem::Problem(const Workload& workload, std::span<const double> relative_speeds)
    : workload_(workload), balanced_bound_(damocles::balanced_bound(workload, relative_speeds)) {
  std::map<double, double> counts;
  for (const double share : relative_speeds) counts[share] += 1;
  for (const auto& [share, count] : counts) groups_.push_back({share, count});
}

Problem::Problem(const Workload& workload, const Platform& platform)
    : Problem(workload, platform.relative_speeds()) {
  if (platform.drift == 0) return;
  const double total = std::accumulate(platform.speeds.begin(), platform.speeds.end(), 0.0);
  drift_ = Drift{platform.drift, total / static_cast<double>(platform.speeds.size())};
}

double Problem::processors() const {
  double result = 0;
  for (const auto& group : groups_) result += group.count;
  return result;
}

Problem Problem::with_equal_speeds() const {
  const double p = processors();
  Problem result(workload_, std::vector<double>(static_cast<std::size_t>(p), 1 / p));
  result.drift_ = drift_;
  return result;
}

Problem Problem::with_fewer_speeds(double within) const {
  Problem result = *this;
  result.groups_.clear();
  double slowest = 0;
  for (const SpeedGroup& group : groups_) {
    if (result.groups_.empty() || group.share > within * slowest) {
      slowest = group.share;
      result.groups_.push_back(group);
      continue;
    }
    SpeedGroup& last = result.groups_.back();
    last.share = (last.share * last.count + group.share * group.count) / (last.count + group.count);
    last.count += group.count;
  }
  return result;
}

bool Problem::square() const {
  for (int index = 1; index < dimensions(); ++index) {
    if (workload_.extent(index) != workload_.extent(0)) return false;
  }
  return true;
}

std::array<double, 3> Problem::sides(double L) const {
  return cheapest_box(workload_, -std::expm1(-L) * tasks());
}

double Problem::data(double L) const { return box_data(workload_, sides(L)); }

double Problem::data_slope(double L) const {
  const double step = 1e-4 * L;
  return (data(L + step) - data(L - step)) / (2 * step);
}

double Problem::step(double L) const {
  // A = product of sides / T, so dA/da = A times the sum of 1/side over the sides that still grow.
  const auto side = sides(L);
  double growth = 0;
  for (int index = 0; index < dimensions(); ++index) {
    const double known = side[static_cast<std::size_t>(index)];
    if (known < extent(index)) growth += 1 / known;
  }
  return growth * std::expm1(L);
}

}  // namespace damocles
