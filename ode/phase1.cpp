#include "ode/phase1.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

#include "ode/correlation.hpp"
#include "ode/endgame_model.hpp"
#include "ode/reduced_chain.hpp"

namespace damocles {
namespace {

using boost::math::digamma;
using GaussNodes = boost::math::quadrature::gauss<double, 7>;

/// int_0^end f, where f(t, weight) adds what it has at t.
template <typename Visit>
void integrate(double end, Visit&& visit) {
  for (std::size_t i = 0; i < GaussNodes::abscissa().size(); ++i) {
    const double x = GaussNodes::abscissa()[i];
    const double weight = GaussNodes::weights()[i] * end / 2;
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
void add_noise(const Problem& problem, const EndgameModel& turns, double tau, TurnDrift& drift) {
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

TurnDrift drift_at(const Problem& problem, const EndgameModel& turns, double tau,
                   bool correlation) {
  const std::size_t groups = problem.groups().size();
  const std::vector<double> none(groups, 0);
  TurnDrift drift{none, none, none, {}, 0};
  add_noise(problem, turns, tau, drift);
  if (correlation) add_correlation(problem, tau, drift);
  return drift;
}

/// Sections 1 and 2 alone.
Phase1 fluid_phase1(const Problem& problem, double beta) {
  Phase1 result{std::exp(-beta), {}, {}, {}, 0, 0, 0, {}};
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

/// Where a processor stands.
struct Position {
  double L;
  double variance;
  double data;
};

/// The end of phase 1 followed turn by turn (section 8), for one group: its turns are evenly spaced
/// among the turns of all.
class Course {
 public:
  /// @param first  node from which on `drift` grows no more
  Course(const Problem& problem, const EndgameModel& turns, const TurnDrift& drift, std::size_t g,
         std::size_t first)
      : problem_(problem), turns_(turns), drift_(drift), g_(g), first_(first), left_{0} {
    for (std::size_t node = 0; node < turns.nodes(); ++node) {
      left_.push_back(left_.back() +
                      turns.turns(g, node, turns.lowest(node), turns.lowest(node + 1)));
    }
    spread_.assign(turns.nodes() + 1, drift.variance[g]);
    flux_.assign(turns.nodes() + 1, 0);
    for (std::size_t node = first; node-- > 0;) {
      // Turns vary in what they add to L, and in number, as they take unequal times.
      const Turn& turn = turns.taken(g, node);
      const double biased = turns.biased_take(g, turns.open(node)) / turn.tasks;
      const double a_turn = std::max(0.0, turn.L_square + turn.L * turn.L * (biased - 2));
      spread_[node] = spread_[node + 1] + (left_[node + 1] - left_[node]) * a_turn;
      flux_[node] = flux_[node + 1] + (left_[node + 1] - left_[node]) * turn.L;
    }
  }

  /// Variance of the data that one processor loads in its turns since `first`, above the threshold.
  [[nodiscard]] double search_variance(double threshold) const {
    double sum = 0;
    for (std::size_t node = 0; node < first_; ++node) {
      const double from = std::max(turns_.lowest(node), std::floor(threshold));
      if (from >= turns_.lowest(node + 1)) continue;
      const Turn& turn = turns_.taken(g_, node);
      sum += turns_.turns(g_, node, from, turns_.lowest(node + 1)) *
             std::max(0.0, turn.data_square - turn.data * turn.data);
    }
    return sum;
  }

  /// When the open tasks fall to the threshold, 1 or more. The turns tell how L is distributed, the
  /// mean field its mean.
  [[nodiscard]] Position at(double threshold) const {
    // Turns start at whole numbers of open tasks.
    threshold = std::floor(threshold);
    const double mean = fluid(threshold);
    double shift = 0;
    Position result{0, 0, 0};
    for (int i = 0; i < 3; ++i) {
      result = after_turns(threshold, shift);
      shift += mean - result.L;
    }
    return result;
  }

 private:
  [[nodiscard]] Position after_turns(double threshold, double shift) const {
    const double now = turns_left(threshold);
    double weights = 0;
    Position sum{0, 0, 0};
    for (std::size_t node = 0; node < turns_.nodes(); ++node) {
      // Who started a turn of B tasks y turns ago has not computed it if B > y times the mean B.
      const double from = std::max(left_[node], now);
      const double to = left_[node + 1];
      if (to <= from) continue;
      const StepLaw law = turns_.law(g_, node);
      const double tasks = turns_.taken(g_, node).tasks;
      const double weight = busy_between(law, tasks * (from - now), tasks * (to - now)) / tasks;
      if (weight < 1e-9) continue;
      const double biased = (1 + law.mean + law.excess) / tasks;
      const Position after = turn_from(before((from + to) / 2, biased, shift), node);
      sum.L += weight * after.L;
      sum.variance += weight * (after.variance + after.L * after.L);
      sum.data += weight * after.data;
      weights += weight;
    }
    sum.L /= weights;
    return {sum.L, std::max(0.0, sum.variance / weights - sum.L * sum.L), sum.data / weights};
  }

  /// Mean L of the group when the open tasks fall to `open`.
  [[nodiscard]] double fluid(double open) const {
    const double anchor = std::max(open, turns_.lowest(first_));
    const double after = std::max(0.56, anchor + 1 - turns_.biased_take(std::max(1.0, anchor)) / 2);
    const double tau = std::max(0.0, std::log((problem_.tasks() + 0.5) / after));
    const double grown = std::min(1.0, tau / turns_.tau(first_));
    double L = problem_.groups()[g_].share * tau + grown * (drift_.mean[g_] + drift_.lead[g_]);
    if (open < anchor) {
      std::size_t node = 0;
      while (turns_.lowest(node + 1) <= open) ++node;
      const double part = (turns_left(open) - left_[node]) / (left_[node + 1] - left_[node]);
      L += flux_[node] + part * (flux_[node + 1] - flux_[node]);
    }
    return std::max(0.0, L);
  }

  /// Turns that a processor still takes with so many tasks open.
  [[nodiscard]] double turns_left(double open) const {
    std::size_t node = 0;
    while (node + 1 < turns_.nodes() && turns_.lowest(node + 1) <= open) ++node;
    return left_[node] +
           turns_.turns(g_, node, turns_.lowest(node), std::max(open, turns_.lowest(node)));
  }

  /// int_from^to P(B > y) dy.
  static double busy_between(const StepLaw& law, double from, double to) {
    constexpr std::size_t most = 2000;
    const auto last = static_cast<std::size_t>(std::min<double>(most, std::ceil(to) + 1));
    const auto chances = law.found(last);
    double longer = 1;
    double sum = 0;
    for (std::size_t b = 1; b <= last && static_cast<double>(b - 1) < to; ++b) {
      const auto count = static_cast<double>(b);
      sum += longer * std::max(0.0, std::min(count, to) - std::max(count - 1, from));
      longer = std::max(0.0, longer - chances[b - 1]);
      if (longer < 1e-9) break;
    }
    return sum;
  }

  /// Before the turn that leaves `left` more. Evenly spaced turns lie at left + 1, left + 2, ...;
  /// if they take unequal times, with E[B^2] = biased E[B]^2, the mean field is nearer.
  [[nodiscard]] Position before(double left, double biased, double shift) const {
    const double middle = left + std::max(0.0, 1 - biased / 2);
    std::size_t node = 0;
    while (node + 1 < turns_.nodes() && left_[node + 1] <= middle) ++node;
    const double low = turns_.lowest(node);
    const double width = turns_.lowest(node + 1) - low;
    const double part = std::min(1.0, (middle - left_[node]) / (left_[node + 1] - left_[node]));
    const double open = low + part * width;
    const double L = std::max(0.0, fluid(open) + shift);
    const double grown = std::log(problem_.tasks() / std::max(1.0, open)) / turns_.tau(first_);
    const double variance =
        std::clamp(grown, 0.0, 1.0) * (spread_[node] + part * (spread_[node + 1] - spread_[node]));
    return {L, variance, spread_data(problem_, L, variance)};
  }

  [[nodiscard]] Position turn_from(const Position& start, std::size_t node) const {
    const double sd = std::min(std::sqrt(start.variance), 0.9 * start.L);
    Position result{0, 0, start.data};
    for (const double L : {start.L - sd, start.L + sd}) {
      const Turn turn = turns_.turn(g_, L, node);
      result.L += (L + turn.L) / 2;
      result.variance += (L * L + 2 * L * turn.L + turn.L_square) / 2;
      result.data += turn.data / 2;
    }
    result.variance = std::max(0.0, result.variance - result.L * result.L);
    return result;
  }

  const Problem& problem_;
  const EndgameModel& turns_;
  const TurnDrift& drift_;
  std::size_t g_;
  std::size_t first_;
  std::vector<double> flux_;    // what the turns since first_ add to L, at lowest(node)
  std::vector<double> spread_;  // variance of L at lowest(node)
  std::vector<double> left_;    // turns left at lowest(node)
};

/// The lowest node at which steps hardly ever find nothing: there the mean field ends.
std::size_t end_of_batches(const Problem& problem, const EndgameModel& turns) {
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
std::vector<double> draw_shares(const Problem& problem, const EndgameModel& turns, double threshold,
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

/// No phase 2: the reduced chain.
Phase1 phase1_to_the_end(const Problem& problem) {
  const ChainLoads loads = sample_dynamic(problem);
  return {.open = 0,
          .L = {},
          .var_L = {},
          .draws = {},
          .var_tau = 0,
          .loads = loads.mean,
          .var_searches = loads.variance};
}

}  // namespace

Phase1 solve_phase1(const Problem& problem, double beta, const Corrections& corrections) {
  if (!corrections.finite_size) return fluid_phase1(problem, beta);
  const double T = problem.tasks();
  const double threshold = problem.tasks_left(beta);
  if (needs_chain(problem, beta)) return phase1_to_the_end(problem);
  const EndgameModel turns(problem);
  const double open = turns.open_after(threshold);
  const std::size_t first = end_of_batches(problem, turns);

  Phase1 result{open / T, {}, {}, draw_shares(problem, turns, threshold, open), 0, 0, 0, {}};
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
  TurnDrift drift = drift_at(problem, turns, turns.tau(first), corrections.correlation);
  result.var_tau = drift.var_tau;
  result.var_own = own_variance(problem, drift, turns.tau(first));
  if (corrections.correlation) {
    const std::vector<double> none(problem.groups().size(), 0);
    TurnDrift late{none, none, none, {}, 0};
    add_correlation(problem, digamma(T + 1) - digamma(std::max(2.0, open) + 1), late);
    for (std::size_t g = 0; g < none.size(); ++g) {
      drift.variance[g] += late.persistent[g] - drift.persistent[g];
    }
  }
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const Course course(problem, turns, drift, g, first);
    const Position after = course.at(threshold);
    result.L.push_back(after.L);
    result.var_L.push_back(after.variance);
    result.loads += problem.groups()[g].count * after.data;
    result.var_searches += problem.groups()[g].count * course.search_variance(threshold);
  }
  return result;
}

}  // namespace damocles
