#include "ode/clusters.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace damocles {
namespace {

using Sides = std::array<double, 3>;

bool has(unsigned set, int index) { return (set >> index & 1U) != 0; }

/// Natural logarithm of the share of pairs with these indices in common that the processor leaves
/// open, over the square of the share of tasks.
double log_excess(const Problem& problem, const Sides& side, unsigned shared) {
  double covered = 1;
  double together = 1;
  for (int index = 0; index < problem.dimensions(); ++index) {
    const double known = side[static_cast<std::size_t>(index)] / problem.extent(index);
    covered *= known;
    together *= has(shared, index) ? known : known * known;
  }
  const double open = std::max(1e-12, 1 - covered);
  return std::log(std::max(1e-12, 1 - 2 * covered + together)) - 2 * std::log(open);
}

/// New cells of a step, besides a random one of them, that share exactly these indices with it.
double companions(const Problem& problem, const Sides& side, unsigned shared) {
  const int dimensions = problem.dimensions();
  const auto grows = [&](int i) { return side[static_cast<std::size_t>(i)] < problem.extent(i); };
  const auto cells = [&](auto&& ways) {
    double product = 1;
    for (int j = 0; j < dimensions; ++j) product *= has(shared, j) ? 1 : std::max(0.0, ways(j));
    return product;
  };
  double sum = 0;
  double weights = 0;
  for (int i = 0; i < dimensions; ++i) {  // the random cell is new in dimension i
    if (!grows(i)) continue;
    const double weight = 1 / side[static_cast<std::size_t>(i)];
    weights += weight;
    for (int other = 0; other < dimensions; ++other) {  // its companion in this one
      if (!grows(other) || has(shared, i) != (other == i) || (other != i && has(shared, other))) {
        continue;
      }
      sum += weight * cells([&](int j) {
               const double known = side[static_cast<std::size_t>(j)];
               return j == other ? 1 : j == i ? known : known - 1;
             });
    }
  }
  return weights > 0 ? sum / weights : 0;
}

}  // namespace

std::vector<double> found_with(const Problem& problem, const std::vector<FieldClass>& classes,
                               double open) {
  const unsigned subsets = (1U << static_cast<unsigned>(problem.dimensions())) - 1;
  std::vector<Sides> sides;
  std::vector<std::vector<double>> excess(classes.size(), std::vector<double>(subsets, 0));
  std::vector<double> total(subsets, 0);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    sides.push_back(problem.sides(classes[c].L));
    for (unsigned shared = 1; shared < subsets; ++shared) {
      excess[c][shared] = log_excess(problem, sides[c], shared);
      total[shared] += classes[c].count * excess[c][shared];
    }
  }
  std::vector<double> result;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const double density = open * std::exp(classes[c].L);
    double found = 1;
    for (unsigned shared = 0; shared < subsets; ++shared) {
      const double pair = std::exp(total[shared] - excess[c][shared]);
      found += companions(problem, sides[c], shared) * std::min(1.0, density * pair);
    }
    result.push_back(found);
  }
  return result;
}

double cluster_size(double found_with) {
  const double neighbours = found_with - 1;
  return neighbours < 1e-9 ? 1 : neighbours / -std::expm1(-neighbours);
}

}  // namespace damocles
