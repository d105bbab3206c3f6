#include "ode/phase1.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

#include "ode/correlation.hpp"
#include "ode/last_turns.hpp"
#include "ode/reduced_chain.hpp"

namespace damocles {
namespace {

using boost::math::digamma;
using Nodes = boost::math::quadrature::gauss<double, 7>;

/// int_0^end f, where f(t, weight) adds what it has at t.
template <typename Visit>
void integrate(double end, Visit&& visit) {
  for (std::size_t i = 0; i < Nodes::abscissa().size(); ++i) {
    const double x = Nodes::abscissa()[i];
    const double weight = Nodes::weights()[i] * end / 2;
    visit(end * (1 + x) / 2, weight);
    if (x != 0) visit(end * (1 - x) / 2, weight);
  }
}

/// What the mean field leaves out of L, of each group at tau (sections 6 and 7).
struct TurnDrift {
  std::vector<double> mean;        // of L, without the lead
  std::vector<double> variance;    // of L
  std::vector<double> persistent;  // of which by correlation
  std::vector<double> lead;        // of who is ahead by a turn at the instant tau
  double var_tau = 0;
};

double open_at(const Problem& problem, double tau) { return problem.tasks() * std::exp(-tau); }

/// Slow processors met denser tasks, quick ones emptier: E[L_g] grows by int K dtau' and spreads by
/// 2 int int K (section 7).
void add_correlation(const Problem& problem, double tau, TurnDrift& drift) {
  const Correlation correlation(problem);
  const std::size_t groups = problem.groups().size();
  // int_0^t K(t', t) dt' for every group.
  const auto inner = [&](double t) {
    std::vector<double> sums(groups, 0);
    integrate(t, [&](double earlier, double weight) {
      const auto total = correlation.total(earlier, t);
      for (std::size_t g = 0; g < groups; ++g) {
        sums[g] += weight * correlation.own(g, total, earlier, t);
      }
    });
    return sums;
  };
  const auto end = inner(tau);
  std::vector<double> spread(groups, 0);
  std::vector<double> bias(groups, 0);
  integrate(tau, [&](double t, double weight) {
    const auto at = inner(t);
    const auto total = correlation.total(t, t);
    for (std::size_t g = 0; g < groups; ++g) {
      spread[g] += weight * at[g];
      bias[g] += weight * correlation.bias(g, total, t);
    }
  });
  for (std::size_t g = 0; g < groups; ++g) {
    const double share = problem.groups()[g].share;
    drift.mean[g] += share * std::clamp(end[g] - bias[g], -tau / 4, tau);
    drift.persistent[g] = std::max(0.0, 2 * share * share * spread[g]);
    drift.variance[g] += drift.persistent[g];
  }
  drift.var_tau = correlation.all(tau);
}

/// Steps find unequal numbers of tasks (section 6).
void add_noise(const Problem& problem, const LastTurns& turns, double tau, TurnDrift& drift) {
  const std::size_t groups = problem.groups().size();
  std::vector<double> past(groups, 0);
  double lost = 0;
  integrate(std::cbrt(tau), [&](double y, double weight) {
    // tau = y^3 takes the root out of the step at 0, where it is ~ tau^(1-1/d).
    const double t = y * y * y;
    const double open = open_at(problem, t);
    for (std::size_t g = 0; g < groups; ++g) {
      const auto& group = problem.groups()[g];
      const double excess =
          turns.between(open, [&](std::size_t node) { return turns.taken(g, node).excess; });
      const double square = (1 + excess) / open;
      past[g] += weight * 3 * y * y * turns.biased_take(g, open) / open;
      drift.variance[g] += weight * 3 * y * y * group.share * square;
      lost += weight * 3 * y * y * group.count * group.share * square / 2;
    }
  });
  const double open = open_at(problem, tau);
  double sum = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    drift.mean[g] -= problem.groups()[g].share * lost;
    drift.lead.push_back((turns.biased_take(g, open) / open - past[g]) / 2);
    sum += problem.groups()[g].count * drift.lead[g];
  }
  for (std::size_t g = 0; g < groups; ++g) drift.lead[g] -= problem.groups()[g].share * sum;
}

TurnDrift drift_at(const Problem& problem, const LastTurns& turns, double tau, bool correlation) {
  const std::size_t groups = problem.groups().size();
  const std::vector<double> none(groups, 0);
  TurnDrift drift{none, none, none, {}, 0};
  add_noise(problem, turns, tau, drift);
  if (correlation) add_correlation(problem, tau, drift);
  return drift;
}

/// Sections 1 and 2 alone.
Phase1 fluid_phase1(const Problem& problem, double beta) {
  Phase1 result{std::exp(-beta), {}, {}, {}, 0, 0, {}, {}};
  for (const auto& group : problem.groups()) {
    result.L.push_back(group.share * beta);
    result.var_L.push_back(0);
    result.draws.push_back(group.share);
    result.loads += group.count * problem.data(result.L.back());
  }
  return result;
}

/// E[data] for L of this mean and variance: two points.
double spread_data(const Problem& problem, double L, double variance) {
  const double sd = std::min(std::sqrt(variance), 0.9 * L);
  return (problem.data(L - sd) + problem.data(L + sd)) / 2;
}

/// The lowest node at which steps hardly ever find nothing: there the mean field ends.
std::size_t end_of_batches(const Problem& problem, const LastTurns& turns) {
  constexpr double hardly_ever = 0.2;
  for (std::size_t node = 0; node < turns.nodes(); ++node) {
    double nothing = 0;
    for (std::size_t g = 0; g < problem.groups().size(); ++g) {
      const auto& group = problem.groups()[g];
      nothing += group.count * group.share * turns.law(g, node).nothing();
    }
    if (nothing < hardly_ever) return node;
  }
  return turns.nodes() - 1;
}

/// Shares of the open tasks that each processor draws in phase 2: less for those that are ahead.
std::vector<double> draw_shares(const Problem& problem, const LastTurns& turns, double threshold,
                                double open) {
  std::vector<double> draws;
  double ahead = 0;
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    draws.push_back(turns.biased_take(g, std::max(1.0, threshold)) / 2);
    ahead += problem.groups()[g].count * draws[g];
  }
  double sum = 0;
  for (std::size_t g = 0; g < draws.size(); ++g) {
    const auto& group = problem.groups()[g];
    draws[g] = std::max(0.0, group.share * (open + ahead) - draws[g]);
    sum += group.count * draws[g];
  }
  for (std::size_t g = 0; g < draws.size(); ++g) {
    // Nobody draws where all are still busy with their first step when the switch comes.
    draws[g] = sum > 0 ? draws[g] / sum : problem.groups()[g].share;
  }
  return draws;
}

/// Variance of L that each processor has for itself. Clusters are shared: what one finds another
/// does not, and that they come in clusters is in var_tau.
std::vector<double> own_variance(const Problem& problem, const TurnDrift& drift, double tau) {
  std::vector<double> result;
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const double share = problem.groups()[g].share;
    // rs_k int (1 - g_k)/r dtau, g_k = e^-(1 - rs_k) tau.
    const double alone = std::expm1(tau) - std::expm1(share * tau) / share;
    result.push_back(drift.persistent[g] + share / problem.tasks() * std::max(0.0, alone));
  }
  return result;
}

/// Where steps find nothing the reduced chain takes over.
Phase1 sampled_phase1(const Problem& problem, double threshold) {
  const ChainEnd end = sample_phase1(problem, threshold);
  Phase1 result{end.open / problem.tasks(), end.L, end.var_L, end.draws, 0, end.loads, {}, {}};
  result.chain = Phase1::Chain{end.var_loads, end.var_open, end.covariance};
  return result;
}

}  // namespace

Phase1 solve_phase1(const Problem& problem, double beta, const Corrections& corrections) {
  if (!corrections.finite_size) return fluid_phase1(problem, beta);
  const double T = problem.tasks();
  const LastTurns turns(problem);
  const double threshold = std::exp(-beta) * T;
  const double open = threshold >= 1 ? turns.open_after(threshold) : 0;
  const std::size_t first = end_of_batches(problem, turns);

  Phase1 result{open / T, {}, {}, draw_shares(problem, turns, threshold, open), 0, 0, {}, {}};
  if (threshold >= turns.open(first)) {
    const double tau = digamma(T + 1) - digamma(open + 1);
    const TurnDrift drift = drift_at(problem, turns, tau, corrections.correlation);
    for (std::size_t g = 0; g < problem.groups().size(); ++g) {
      const auto& group = problem.groups()[g];
      const double fluid = group.share * tau;
      // The corrections are of small steps: they never take more than half.
      result.L.push_back(fluid + std::max(drift.mean[g] + drift.lead[g], -fluid / 2));
      result.var_L.push_back(drift.variance[g]);
      result.loads += group.count * spread_data(problem, result.L[g], result.var_L[g]);
    }
    result.var_tau = drift.var_tau;
    result.var_own = own_variance(problem, drift, tau);
    return result;
  }
  return sampled_phase1(problem, threshold);
}

}  // namespace damocles
