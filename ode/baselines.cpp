#include "ode/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace damocles {
namespace {

/// A kind of data: how many there are and how many tasks read each.
struct Kind {
  double count;
  double tasks;
};

std::vector<Kind> kinds(const Problem& problem) {
  const double m = problem.extent(0);
  const double n = problem.extent(1);
  if (problem.dimensions() == 2) return {{m, n}, {n, m}};
  const double k = problem.extent(2);
  return {{m * k, n}, {k * n, m}, {m * n, k}};
}

/// Distinct residues mod `period` among `positions` numbers that lie p apart.
double residues(std::uint64_t period, std::uint64_t p, double positions) {
  return std::min(static_cast<double>(period / std::gcd(period, p)), positions);
}

/// Equal speeds: after the first round, in random order, processor r computes the positions r + p,
/// r + 2p, ... Its first task lies in another residue class with probability 1 - 1/gcd.
double sorted_loads_equal(const Problem& problem, std::uint64_t p) {
  const auto& workload = problem.workload();
  const std::uint64_t m = workload.extent(0);
  const std::uint64_t n = workload.extent(1);
  const auto share = [&](std::uint64_t tasks) {
    return static_cast<double>(tasks) / static_cast<double>(p);
  };
  const auto times = [](std::uint64_t count, double loads) {
    return static_cast<double>(count) * loads;
  };
  const auto first = [&](std::uint64_t period) {
    return 1 - 1 / static_cast<double>(std::gcd(period, p));
  };
  if (problem.dimensions() == 2) {
    return times(m, std::min(1.0, share(n))) + residues(n, p, share(m * n)) + first(n);
  }
  const std::uint64_t k = workload.extent(2);
  return times(m, residues(k, p, share(n * k))) + residues(n * k, p, share(m * n * k)) +
         times(m * n, std::min(1.0, share(k))) + first(k) + first(n * k);
}

}  // namespace

Prediction predict_random(const Problem& problem) {
  double loads = 0;
  double variance = 0;
  for (const auto& group : problem.groups()) {
    for (const auto& kind : kinds(problem)) {
      const double missed = std::pow(1 - group.share, kind.tasks);
      const double once = kind.tasks * group.share * missed / (1 - group.share + 1e-300);
      const double draws = group.share * problem.tasks();
      loads += group.count * kind.count * (1 - missed);
      variance += group.count * std::max(0.0, kind.count * missed * (1 - missed) -
                                                  std::pow(kind.count * once, 2) / draws);
    }
  }
  return {loads, 0, 0, std::sqrt(variance)};
}

Prediction predict_sorted(const Problem& problem) {
  const auto& groups = problem.groups();
  Prediction result{0, 0, 0, std::nullopt};
  if (groups.size() == 1) {
    const double p = groups.front().count;
    result.loads = p * sorted_loads_equal(problem, static_cast<std::uint64_t>(p));
    return result;
  }
  const auto all = kinds(problem);
  for (const auto& group : groups) {
    for (std::size_t kind = 0; kind < all.size(); ++kind) {
      // a_i (outer) and C_ij (matrix) are read by neighbouring tasks.
      const bool neighbours = kind == (problem.dimensions() == 2 ? 0U : 2U);
      const double met = neighbours ? std::min(1.0, all[kind].tasks * group.share)
                                    : 1 - std::pow(1 - group.share, all[kind].tasks);
      result.loads += group.count * all[kind].count * met;
    }
  }
  return result;
}

}  // namespace damocles
