#include "ode/refined_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ode/data_kinds.hpp"
#include "ode/model.hpp"
#include "ode/reduced_chain.hpp"
#include "ode/row_mixture.hpp"

namespace damocles {
namespace {

/// Expected loads of phase 2 and their variance.
struct Phase2 {
  double loads = 0;
  double variance = 0;
};

/// Section 5: a data that the set S knows has the share u = prod over S of (1 - f_j) of its tasks
/// open, and processor k, which draws the share `draws` of them, needs it if it draws any.
/// `with_variance`: section 5, step 2. `scale`: the covered shares multiply to the open share in
/// the mean field; u is scaled to the real one.
void add_kind(const Problem& problem, const DataKind& kind, const Phase1& start, double scale,
              bool with_variance, Phase2& phase2) {
  const auto& groups = problem.groups();
  std::vector<double> knows(groups.size(), 1);
  std::vector<double> covers(groups.size());
  const double count = kind.count(problem);
  const double tasks = problem.extent(kind.along);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto side = problem.sides(start.L[g]);
    for (const int index : kind.of) {
      knows[g] *= side[static_cast<std::size_t>(index)] / problem.extent(index);
    }
    // A dimension known whole leaves nothing; RowMixture wants a fraction below 1.
    covers[g] = std::min(side[static_cast<std::size_t>(kind.along)] / tasks, 1 - 1e-9);
  }
  const RowMixture mixture(groups, knows, covers);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double rho = start.draws[g];
    const auto met = mixture.meet(g, tasks * rho * scale, with_variance ? rho : 0);
    const double unknown = count * (1 - knows[g]);
    phase2.loads += groups[g].count * unknown * met.probability;
    // Occupancy: the number of draws is fixed, which takes (sum of lambda e^-lambda)^2 / draws off.
    const double draws = problem.tasks() * start.open * rho;
    const double free = unknown * met.probability * (1 - met.probability);
    const double fixed = std::pow(unknown * met.density, 2) / std::max(1.0, draws);
    phase2.variance += groups[g].count * std::max(0.0, free - fixed);
  }
}

Phase2 solve_phase2(const Problem& problem, const Phase1& start, bool with_variance = true) {
  Phase2 result;
  if (start.open == 0) return result;
  double covered = 0;
  for (std::size_t g = 0; g < start.L.size(); ++g)
    covered += problem.groups()[g].count * start.L[g];
  const double scale = start.open * std::exp(covered);
  for (const auto& kind : data_kinds(problem.dimensions())) {
    add_kind(problem, kind, start, scale, with_variance, result);
  }
  return result;
}

/// Variance of the volume (section 8): what all processors share moves both phases together; what
/// is each one's own adds up, and so does the luck of the last searches and of phase 2.
double variance(const Problem& problem, const Phase1& phase1, const Phase2& phase2) {
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
  common += (solve_phase2(problem, later).loads - phase2.loads) / nudge;
  return phase1.var_tau * common * common + own + phase1.var_searches + phase2.variance;
}

}  // namespace

double refined_loads(const Problem& problem, double beta, const Corrections& corrections) {
  const Phase1 phase1 = solve_phase1(problem, beta, corrections);
  return phase1.loads + solve_phase2(problem, phase1, corrections.open_variance).loads;
}

std::optional<Prediction> predict_refined(const Problem& problem, double beta) {
  const auto all_data = static_cast<double>(problem.workload().data());
  if (problem.processors() == 1) return Prediction{all_data, all_data, -std::expm1(-beta), 0.0};
  if (!has_mean_field(problem)) return std::nullopt;
  if (needs_chain(problem, beta) && chain_steps(problem) > longest_chain) return std::nullopt;
  // The end of phase 1 costs the square of the number of speeds: 3 s for 300 of them, 0.1 for 40.
  constexpr std::size_t most_speeds = 40;
  const Problem seen =
      problem.groups().size() > most_speeds ? problem.with_fewer_speeds(1.07) : problem;
  const Phase1 phase1 = solve_phase1(seen, beta);
  const Phase2 phase2 = solve_phase2(seen, phase1);
  return Prediction{phase1.loads + phase2.loads, phase1.loads, 1 - phase1.open,
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

const Register refined_model{
    Model{.name = "refined",
          .place = 4,
          .summary = "phase 2 as it happens, finite-size corrections, a band",
          .predict = predict_refined,
          .silent = beyond_refined}};

}  // namespace
}  // namespace damocles
