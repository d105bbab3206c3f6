#include "ode/field_classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace damocles {
namespace {

/// Values and their probabilities.
using Nodes = std::vector<std::pair<double, double>>;

/// With k = mean^2 / variance and q = sqrt(k + 1) the roots of L_2^(k-1), times mean / k, are
/// mean (q^2 +- q) / k, of weights (1 -+ 1/q) / 2.
Nodes class_nodes(double mean, double variance) {
  if (variance <= 1e-9 * mean * mean) return {{mean, 1.0}};
  const double noise = variance / (mean * mean);
  const double root = std::sqrt(noise * (1 + noise));
  const double tilt = std::sqrt(noise / (1 + noise)) / 2;
  return {{mean * (1 + noise + root), 0.5 - tilt}, {mean * (1 + noise - root), 0.5 + tilt}};
}

/// First two moments of L and D on a rung.
struct Moments {
  double L, var_L, D, var_D, together;

  Moments(const MeanField::State& state, Eigen::Index rung) {
    const double mass = state(rung, MeanField::mass);
    L = state(rung, MeanField::L) / mass;
    D = state(rung, MeanField::D) / mass;
    var_L = state(rung, MeanField::L2) / mass - L * L;
    var_D = state(rung, MeanField::D2) / mass - D * D;
    together = state(rung, MeanField::LD) / mass - L * D;
  }
};

}  // namespace

std::vector<FieldClass> classes(const MeanField& field) {
  constexpr double nobody = 1e-10;  // below what the integration resolves
  const auto& state = field.state();
  const Eigen::ArrayXd shares = field.shares();
  std::vector<FieldClass> result;
  for (Eigen::Index rung = 0; rung < state.rows(); ++rung) {
    if (state(rung, MeanField::mass) < nobody) continue;
    const Moments of(state, rung);
    const Nodes nodes = class_nodes(of.L, of.var_L);
    const double slope = nodes.size() == 1 ? 0 : of.together / of.var_L;
    for (const auto& [L, chance] : nodes) {
      const double drawn = std::max(0.0, of.D + slope * (L - of.L));
      result.push_back({field.processors() * state(rung, MeanField::mass) * chance, L, shares[rung],
                        class_nodes(drawn, of.var_D - slope * of.together)});
    }
  }
  return result;
}

}  // namespace damocles
