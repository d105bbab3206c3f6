#include "ode/refined_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ode/data_kinds.hpp"
#include "ode/model.hpp"
#include "ode/reduced_chain.hpp"
#include "ode/row_mixture.hpp"

namespace damocles {
namespace {

/// Where phase 2 starts, of each class of processors.
struct Start {
  double open;                                 ///< share of the tasks
  std::vector<SpeedGroup> classes;             ///< `share`: of the open tasks, that each draws
  std::vector<std::array<double, 3>> known{};  ///< indices in each dimension, shape (classes)
  double covered = 0;  ///< sum over processors of -ln(1 - share of the tasks that it covers)
};

Start start_of(const Problem& problem, const Phase1& phase1) {
  Start result{.open = phase1.open, .classes = problem.groups()};
  for (std::size_t g = 0; g < phase1.L.size(); ++g) {
    result.classes[g].share = phase1.draws[g];
    result.known.push_back(problem.sides(phase1.L[g]));
    result.covered += result.classes[g].count * phase1.L[g];
  }
  return result;
}

Start start_of(const Problem& problem, const ChainState& state) {
  Start result{.open = state.open / problem.tasks(), .classes = {}};
  for (const ChainState::Class& one : state.classes) {
    result.classes.push_back({one.draws / state.open, one.count});
    result.known.push_back(one.known);
    double covers = 1;
    for (int i = 0; i < problem.dimensions(); ++i) {
      covers *= one.known[static_cast<std::size_t>(i)] / problem.extent(i);
    }
    result.covered -= one.count * std::log1p(-covers);
  }
  return result;
}

/// Section 5: a data item that the set S knows has the share u = prod over S of (1 - f_j) of its
/// tasks open, and processor k, which draws the share `draws` of them, needs it if it draws any.
/// `with_variance`: section 5, step 2. `scale`: the covered shares multiply to the open share in
/// the mean field; u is scaled to the real one.
void add_kind(const Problem& problem, const DataKind& kind, const Start& start, double scale,
              bool with_variance, RunLoads& phase2) {
  const auto& groups = start.classes;
  std::vector<double> knows(groups.size(), 1);
  std::vector<double> covers(groups.size());
  const double count = kind.count(problem);
  const double tasks = problem.extent(kind.along);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& side = start.known[g];
    for (const int index : kind.of) {
      knows[g] *= side[static_cast<std::size_t>(index)] / problem.extent(index);
    }
    // A dimension known whole leaves nothing; RowMixture wants a fraction below 1.
    covers[g] = std::min(side[static_cast<std::size_t>(kind.along)] / tasks, 1 - 1e-9);
  }
  const RowMixture mixture(groups, knows, covers);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double rho = groups[g].share;
    const auto met = mixture.missed(g, tasks * rho * scale, with_variance ? rho : 0);
    const double unknown = count * (1 - knows[g]);
    phase2.mean += groups[g].count * unknown * met.probability;
    // Occupancy: the number of draws is fixed, which takes (sum of lambda e^-lambda)^2 / draws off.
    const double draws = problem.tasks() * start.open * rho;
    const double free = unknown * met.probability * (1 - met.probability);
    const double fixed = std::pow(unknown * met.density, 2) / std::max(1.0, draws);
    phase2.variance += groups[g].count * std::max(0.0, free - fixed);
  }
}

RunLoads solve_phase2(const Problem& problem, const Start& start, bool with_variance = true) {
  RunLoads result;
  if (start.open == 0) return result;
  const double scale = start.open * std::exp(start.covered);
  const auto& kinds = data_kinds(problem.dimensions());
  if (problem.square()) {
    add_kind(problem, kinds.front(), start, scale, with_variance, result);
    const auto alike = static_cast<double>(kinds.size());
    return {.mean = alike * result.mean, .variance = alike * result.variance};
  }
  for (const auto& kind : kinds) add_kind(problem, kind, start, scale, with_variance, result);
  return result;
}

RunLoads solve_phase2(const Problem& problem, const Phase1& phase1, bool with_variance = true) {
  if (phase1.open == 0) return {};
  return solve_phase2(problem, start_of(problem, phase1), with_variance);
}

/// Variance of the volume (section 8): what all processors share moves both phases together; what
/// is each one's own adds up, and so does the luck of the last searches and of phase 2.
double variance(const Problem& problem, const Phase1& phase1, const RunLoads& phase2) {
  constexpr double nudge = 1e-3;
  Phase1 later = phase1;
  double common = 0;
  double own = 0;
  for (std::size_t g = 0; g < phase1.L.size(); ++g) {
    const auto& group = problem.groups()[g];
    const double slope = problem.data_slope(phase1.L[g]);
    later.L[g] += group.share * nudge;
    common += group.count * group.share * slope;
    own += group.count * phase1.var_own[g] * slope * slope;
  }
  common += (solve_phase2(problem, later).mean - phase2.mean) / nudge;
  return phase1.var_tau * common * common + own + phase1.var_searches + phase2.variance;
}

/// Phase 1 sampled, phase 2 expected from where each sampled run stands.
Prediction sampled(const Problem& problem, double beta) {
  double open = 0;
  double phase1 = 0;
  const ChainLoads loads =
      sample_two_phases(problem, problem.tasks_left(beta), [&](const ChainState& state) {
        open += state.open;
        phase1 += state.loads;
        return state.open > 0 ? solve_phase2(problem, start_of(problem, state)) : RunLoads{};
      });
  return {loads.mean, phase1 / loads.runs, 1 - open / loads.runs / problem.tasks(),
          std::sqrt(loads.variance)};
}

/// Whether the chain is sampled up to the threshold. The corrections of phase1.hpp are expansions:
/// they are small where every processor computes many tasks, in steps of many cells, and many tasks
/// are left. What they are off elsewhere, and what a sample is: docs/explanation/theory.md,
/// section 12.
bool is_sampled(const Problem& problem, double beta) {
  constexpr double many_tasks = 30;
  constexpr double long_side = 15;
  constexpr double longest = 3e4;  // in steps of a run; the best beta asks for a hundred samples
  double slowest = 1;
  for (const auto& group : problem.groups()) slowest = std::min(slowest, group.share);
  double shortest = problem.extent(0);
  for (int i = 1; i < problem.dimensions(); ++i) shortest = std::min(shortest, problem.extent(i));
  const bool few = slowest * problem.tasks() < many_tasks || shortest < long_side ||
                   problem.tasks_left(beta) < 2 * problem.processors();
  return few && !needs_chain(problem, beta) && chain_steps(problem) <= longest;
}

}  // namespace

double refined_loads(const Problem& problem, double beta, const Corrections& corrections) {
  const Phase1 phase1 = solve_phase1(problem, beta, corrections);
  return phase1.loads + solve_phase2(problem, phase1, corrections.open_variance).mean;
}

std::optional<Prediction> predict_refined(const Problem& problem, double beta) {
  const auto all_data = static_cast<double>(problem.workload().data());
  if (problem.processors() == 1) return Prediction{all_data, all_data, -std::expm1(-beta), 0.0};
  if (!has_mean_field(problem)) return std::nullopt;
  if (needs_chain(problem, beta) && chain_steps(problem) > longest_chain) return std::nullopt;
  if (is_sampled(problem, beta)) return sampled(problem, beta);
  // The end of phase 1 costs the square of the number of speeds: 3 s for 300 of them, 0.1 for 40.
  constexpr std::size_t most_speeds = 40;
  const Problem seen =
      problem.groups().size() > most_speeds ? problem.with_fewer_speeds(1.07) : problem;
  const Phase1 phase1 = solve_phase1(seen, beta);
  const RunLoads phase2 = solve_phase2(seen, phase1);
  return Prediction{phase1.loads + phase2.mean, phase1.loads, 1 - phase1.open,
                    std::sqrt(variance(seen, phase1, phase2))};
}

namespace {

std::string beyond_refined(const Problem& problem, double beta) {
  std::string why = without_field(problem, beta);
  if (!why.empty() || !needs_chain(problem, beta) || problem.processors() == 1) return why;
  const double steps = chain_steps(problem);
  return steps <= longest_chain
             ? ""
             : fmt::format("the chain that it samples has {:.2g} steps here, of {:.2g} at most",
                           steps, longest_chain);
}

const Register refined_model{Model{
    .name = "refined",
    .place = 4,
    .summary =
        "models phase 2 in detail, corrects for finite sizes, predicts the spread between runs",
    .predict = predict_refined,
    .why_unavailable = beyond_refined,
    .counts_tasks = true,
    .domain = ValidatedDomain{.expected_error = 0.02,
                              .limits = {{DomainQuantity::tasks_a_processor, 8},
                                         {DomainQuantity::speed_ratio, 1000},
                                         {DomainQuantity::side_ratio, 4},
                                         {DomainQuantity::shortest_side, 8}}}}};

}  // namespace
}  // namespace damocles
