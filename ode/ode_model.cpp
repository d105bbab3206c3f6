#include "ode/ode_model.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "ode/data_kinds.hpp"
#include "ode/field_classes.hpp"
#include "ode/phase_switch.hpp"
#include "ode/row_mixture.hpp"

namespace damocles {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Classes = std::vector<FieldClass>;

/// Loads of phase 2 of one kind of data (section 5 of docs/explanation/theory.md, steps 1 and 2).
double phase2_loads(const Problem& problem, const DataKind& kind, const Classes& classes,
                    double scale) {
  std::vector<SpeedGroup> groups;
  std::vector<double> knows(classes.size(), 1);
  std::vector<double> covers;
  const double tasks = problem.extent(kind.along);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    groups.push_back({classes[c].share, classes[c].count});
    const auto side = problem.sides(classes[c].L);
    for (const int index : kind.of) {
      knows[c] *= side[static_cast<std::size_t>(index)] / problem.extent(index);
    }
    // A dimension known whole leaves nothing; RowMixture wants a fraction below 1.
    covers.push_back(std::min(side[static_cast<std::size_t>(kind.along)] / tasks, 1 - 1e-9));
  }
  const RowMixture mixture(groups, knows, covers);
  double loads = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const double unknown = classes[c].count * kind.count(problem) * (1 - knows[c]);
    for (const auto& [drawn, chance] : classes[c].draws) {
      const double missed = mixture.missed(c, tasks * drawn * scale, drawn).probability;
      // The correction for the variance of what is open is of first order.
      loads += chance * unknown * std::clamp(missed, 0.0, 1.0);
    }
  }
  return loads;
}

/// @param met  at the end of the run  @param open  share of the tasks that phase 2 starts with
double phase2_loads(const Problem& problem, const Classes& met, double open) {
  double covered = 0;
  for (const auto& one : met) covered += one.count * one.L;
  double loads = 0;
  for (const auto& kind : data_kinds(problem.dimensions())) {
    loads += phase2_loads(problem, kind, met, open * std::exp(covered));
  }
  return loads;
}

/// E[data] of a processor that covers L before its last find: of the last 1/share clusters it takes
/// one, any of them, and with r of them left a search raises L by Exp(1)/r.
double data_after_last_find(const Problem& problem, double L, double share) {
  using Gauss = boost::math::quadrature::gauss<double, 15>;
  constexpr double few = 40;  // beyond, the search is as long as its mean
  const double before = problem.data(L);
  const double finds = 1 / share;
  double gain = 0;
  for (double r = 1; r <= std::min(few, finds); ++r) {
    // -ln(1 - v) is Exp(1) for uniform v.
    gain +=
        Gauss::integrate([&](double v) { return problem.data(L - std::log1p(-v) / r); }, 0.0, 1.0) -
        before;
  }
  if (finds > few + 0.5) {
    gain += Gauss::integrate(
        [&](double y) { return (problem.data(L + std::exp(-y)) - before) * std::exp(y); },
        std::log(few + 0.5), std::log(finds));
  }
  return before + share * gain;
}

/// Loads where phase 1 runs to the last task: up to the last cluster, then everybody's last find.
double loads_to_the_end(const Problem& problem, MeanField& field) {
  static_cast<void>(advance_with_clusters(problem, field, std::log(problem.tasks())));
  double loads = 0;
  for (const auto& one : classes(field)) {
    // Up to the last 1/share clusters; a slow processor may not have got that far.
    const double before = std::max(one.L / 4, one.L + one.share * std::log(one.share));
    loads += one.count * data_after_last_find(problem, before, one.share);
  }
  return loads;
}

}  // namespace

std::optional<Prediction> predict_ode(const Problem& problem, double beta) {
  const double T = problem.tasks();
  const double p = problem.processors();
  const auto all_data = static_cast<double>(problem.workload().data());
  if (p == 1) return Prediction{all_data, all_data, -std::expm1(-beta), std::nullopt};
  if (!has_mean_field(problem)) return std::nullopt;
  const SpeedLaw law = SpeedLaw::of(problem);
  if (beta >= std::log(T)) {
    MeanField field(law, T, infinity);
    const double loads = loads_to_the_end(problem, field);
    return Prediction{loads, loads, 1, std::nullopt};
  }
  MeanField before(law, T, infinity);
  const Clusters clusters = advance_with_clusters(problem, before, beta);
  const PhaseSwitch at(problem, before, clusters, std::exp(-beta) * T);
  MeanField field(law, T, at.tau());
  field.advance(at.tau());
  double phase1 = 0;
  for (const auto& one : at.spread_out(classes(field))) {
    phase1 += one.count * problem.data(one.L);
  }
  field.advance(std::max(at.tau(), std::log(T)) + 1);
  const double share = at.open() / T;
  const double loads = phase1 + phase2_loads(problem, at.spread_out(classes(field)), share);
  return Prediction{loads, phase1, 1 - share, std::nullopt};
}

Prediction predict_ode_random(const Problem& problem) {
  const SpeedLaw law = SpeedLaw::of(problem);
  MeanField field(law, problem.tasks(), 0);
  field.advance(std::log(problem.tasks()) + 1);
  Prediction result;
  for (const auto& kind : data_kinds(problem.dimensions())) {
    for (const auto& one : classes(field)) {
      for (const auto& [drawn, chance] : one.draws) {
        const double missed = std::pow(1 - std::min(1.0, drawn), problem.extent(kind.along));
        result.loads += one.count * chance * kind.count(problem) * (1 - missed);
      }
    }
  }
  return result;
}

namespace {

const Register ode_model{
    Model{.name = "ode",
          .place = 5,
          .summary =
              "integrates the mean-field ODEs; includes drifting speeds and clusters of open tasks",
          .predict = predict_ode,
          .why_unavailable = without_field,
          .domain = ValidatedDomain{.expected_error = 0.015,
                                    .limits = {{DomainQuantity::tasks_a_processor, 15},
                                               {DomainQuantity::speed_ratio, 10},
                                               {DomainQuantity::side_ratio, 2},
                                               {DomainQuantity::shortest_side, 20},
                                               {DomainQuantity::left_a_processor, 1},
                                               {DomainQuantity::growth, 2}},
                                    .drift = true}}};

}  // namespace
}  // namespace damocles
