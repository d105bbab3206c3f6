#include "ode/phase1.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "ode/correlation.hpp"

namespace damocles {
namespace {

using Gauss = boost::math::quadrature::gauss<double, 15>;

/// Overshoot and in-flight tasks (section 6): a request takes a whole step, and at the switch each
/// processor is on average half a step ahead of what it has computed.
struct InFlight {
  std::vector<double> step;  // h_g = dL/da, shape (groups)
  double mean_step = 0;      // sum of rs_k h_k
  double sum_steps = 0;      // sum of h_k
};

InFlight in_flight(const Problem& problem, double tau) {
  InFlight result;
  for (const auto& group : problem.groups()) {
    result.step.push_back(problem.step(group.share * tau));
    result.mean_step += group.count * group.share * result.step.back();
    result.sum_steps += group.count * result.step.back();
  }
  return result;
}

/// What being half a step ahead adds to L_g: half of h_g - int h_g dtau, less its share of the sum.
std::vector<double> lead(const Problem& problem, double tau) {
  const auto end = in_flight(problem, tau);
  std::vector<double> own;
  double sum = 0;
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const auto& group = problem.groups()[g];
    // tau = y^3 takes the root out of h at 0, where h ~ tau^(1-1/d).
    const double past = Gauss::integrate(
        [&](double y) { return 3 * y * y * problem.step(group.share * y * y * y); }, 0.0,
        std::cbrt(tau));
    own.push_back((end.step[g] - past) / 2);
    sum += group.count * own.back();
  }
  for (std::size_t g = 0; g < own.size(); ++g) own[g] -= problem.groups()[g].share * sum;
  return own;
}

/// Slow processors met denser tasks, quick ones emptier: E[L_g] grows by int K dL' and spreads by
/// 2 int int K (section 7).
void add_correlation(const Problem& problem, double tau, Phase1& phase1) {
  const Correlation correlation(problem);
  using Nodes = boost::math::quadrature::gauss<double, 7>;
  const std::size_t groups = problem.groups().size();
  // int_0^t K(t', t) dt' for every group.
  const auto inner = [&](double t) {
    std::vector<double> sums(groups, 0);
    const auto visit = [&](double abscissa, double weight) {
      const double earlier = t * (1 + abscissa) / 2;
      const auto total = correlation.total(earlier, t);
      for (std::size_t g = 0; g < groups; ++g) {
        sums[g] += weight * t / 2 * correlation.own(g, total, earlier, t);
      }
    };
    for (std::size_t i = 0; i < Nodes::abscissa().size(); ++i) {
      visit(Nodes::abscissa()[i], Nodes::weights()[i]);
      if (Nodes::abscissa()[i] != 0) visit(-Nodes::abscissa()[i], Nodes::weights()[i]);
    }
    return sums;
  };
  const auto end = inner(tau);
  std::vector<double> spread(groups, 0);
  for (std::size_t i = 0; i < Nodes::abscissa().size(); ++i) {
    for (const double sign : {-1.0, 1.0}) {
      if (sign > 0 && Nodes::abscissa()[i] == 0) continue;
      const auto at = inner(tau * (1 + sign * Nodes::abscissa()[i]) / 2);
      for (std::size_t g = 0; g < groups; ++g) spread[g] += Nodes::weights()[i] * tau / 2 * at[g];
    }
  }
  for (std::size_t g = 0; g < groups; ++g) {
    const double share = problem.groups()[g].share;
    phase1.L[g] += share * std::clamp(end[g], -tau / 4, tau);
    phase1.var_L[g] += std::max(0.0, 2 * share * share * spread[g]);
  }
  phase1.var_tau = correlation.all(tau);
}

/// The end of phase 1 (section 6). With r tasks open a processor searches until it finds one, which
/// adds Exp(1)/r to L. While many are open its turns come evenly, once every 1/rs_k tasks; of the
/// last 1/rs_k tasks it takes one, any of them.
struct LastTurn {
  double share;
  double open_tasks;  ///< where phase 1 stops

  [[nodiscard]] double tasks() const { return std::max(1 / share, open_tasks); }
  /// E[L] of the turns before the last.
  [[nodiscard]] double mean_before(double all_tasks) const {
    return share * (boost::math::digamma(all_tasks + 1) - boost::math::digamma(tasks() + 1));
  }
  /// Var L of the same: a turn finds its tasks among cells that are open with probability g, so its
  /// length varies by 1 - g: rs_k int (1 - g)/r dtau, plus what the sum over whole turns has beyond
  /// it.
  [[nodiscard]] double variance_before(double all_tasks) const {
    const double turns = share * tasks();
    const double tau = std::log(all_tasks / tasks());
    const double fluid =
        share / all_tasks * std::max(0.0, std::expm1(tau) - std::expm1(share * tau) / share);
    return fluid + share * share * (boost::math::trigamma(turns) - 1 / turns);
  }
  /// E[data(L + last turn)].
  [[nodiscard]] double data_after(const Problem& problem, double L) const {
    if (tasks() <= open_tasks) return problem.data(L);
    constexpr double few = 40;  // so near the end the search's own spread matters
    const double before = problem.data(L);
    double gain = 0;
    for (double r = open_tasks + 1; r <= std::min(few, tasks()); ++r) {
      // t = -ln(1 - v) is Exp(1) for uniform v.
      gain += Gauss::integrate([&](double v) { return problem.data(L - std::log1p(-v) / r); }, 0.0,
                               1.0) -
              before;
    }
    const double first = std::max(few, open_tasks) + 0.5;
    if (tasks() > first) {
      gain += Gauss::integrate(
          [&](double y) { return (problem.data(L + std::exp(-y)) - before) * std::exp(y); },
          std::log(first), std::log(tasks()));
    }
    return before + share * gain;
  }
};

/// E[data] for L before the last turn of this mean and variance, to second order.
double expected_data(const Problem& problem, const LastTurn& last, double mean, double variance) {
  const double h = 0.1 * mean;
  const double middle = last.data_after(problem, mean);
  const double curvature =
      (last.data_after(problem, mean + h) - 2 * middle + last.data_after(problem, mean - h)) /
      (h * h);
  // Concave in L: never above the middle, and second order only while it stays a correction.
  return std::max(middle / 2, middle + curvature * variance / 2);
}

/// The instant from which a step finds less than one task: nobody is ahead by more than that one,
/// and the expansions in small steps and small correlations end.
double end_of_batches(const Problem& problem, double tau) {
  double end = tau;
  while (end > 0.1 && std::exp(-end) * problem.tasks() * in_flight(problem, end).mean_step < 1) {
    end *= 0.98;
  }
  return end;
}

/// Shares of the open tasks that each processor draws in phase 2: less for those that are ahead.
std::vector<double> draw_shares(const Problem& problem, double batches_end) {
  const auto now = in_flight(problem, batches_end);
  std::vector<double> draws;
  double sum = 0;
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const auto& group = problem.groups()[g];
    draws.push_back(std::max(0.0, group.share - (now.step[g] - group.share * now.sum_steps) / 2));
    sum += group.count * draws.back();
  }
  for (std::size_t g = 0; g < draws.size(); ++g) {
    // Nobody draws where all are still busy with their first step when the switch comes.
    draws[g] = sum > 0 ? draws[g] / sum : problem.groups()[g].share;
  }
  return draws;
}

/// Sections 1 and 2 alone.
Phase1 fluid_phase1(const Problem& problem, double beta) {
  Phase1 result{std::exp(-beta), {}, {}, {}, 0, 0};
  for (const auto& group : problem.groups()) {
    result.L.push_back(group.share * beta);
    result.var_L.push_back(0);
    result.draws.push_back(group.share);
    result.loads += group.count * problem.data(result.L.back());
  }
  return result;
}

}  // namespace

Phase1 solve_phase1(const Problem& problem, double beta, const Corrections& corrections) {
  if (!corrections.finite_size) return fluid_phase1(problem, beta);
  using boost::math::digamma;
  const double T = problem.tasks();
  const auto first = in_flight(problem, std::min(beta, std::log(T)));
  // A step takes the open tasks past the threshold by half of E[B^2]/E[B], B = its tasks.
  const double open_tasks = std::max(0.0, std::exp(-beta) * T * (1 - first.mean_step / 2) - 0.5);
  const double tau = digamma(T + 1) - digamma(open_tasks + 1);
  const double batches_end = end_of_batches(problem, tau);

  Phase1 result{open_tasks / T, {}, {}, draw_shares(problem, batches_end), 0, 0};
  const auto ahead = lead(problem, batches_end);
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const double share = problem.groups()[g].share;
    // The correction is one of small steps: it never takes more than half.
    result.L.push_back(share * tau + std::max(ahead[g], -share * tau / 2));
    result.var_L.push_back(LastTurn{share, open_tasks}.variance_before(T));
  }
  if (corrections.correlation) add_correlation(problem, batches_end, result);
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const auto& group = problem.groups()[g];
    const LastTurn last{group.share, open_tasks};
    const double before =
        std::max(result.L[g] - group.share * tau + last.mean_before(T), result.L[g] / 100);
    result.loads += group.count * expected_data(problem, last, before, result.var_L[g]);
  }
  return result;
}

}  // namespace damocles
