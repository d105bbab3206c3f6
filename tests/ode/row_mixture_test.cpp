#include "ode/row_mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace damocles::row_mixture_test {
namespace {

struct Setup {
  std::vector<SpeedGroup> groups;
  std::vector<double> knows;
  std::vector<double> covers;
};

/// The same expectations as sums over all 2^(p-1) sets of other processors that know the data.
RowMixture::Missed brute_force(const Setup& setup, std::size_t self, double c, double rho) {
  std::vector<std::pair<double, double>> others;  // q and f of each
  for (std::size_t g = 0; g < setup.groups.size(); ++g) {
    const int count = static_cast<int>(setup.groups[g].count) - (g == self ? 1 : 0);
    for (int i = 0; i < count; ++i) others.emplace_back(setup.knows[g], setup.covers[g]);
  }
  RowMixture::Missed missed{0, 0};
  for (std::size_t set = 0; set < std::size_t{1} << others.size(); ++set) {
    double chance = 1;
    double u = 1;
    double xi = 0;
    for (std::size_t k = 0; k < others.size(); ++k) {
      const auto [q, f] = others[k];
      const bool knows = (set >> k & 1U) != 0;
      chance *= knows ? q : 1 - q;
      if (knows) u *= 1 - f;
      if (knows) xi += f / (1 - f);
    }
    // The correction to first order in rho.
    missed.probability +=
        chance * (-std::expm1(-c * u) + std::exp(-c * u) * c * u * (rho / 2) * u * (1 + xi));
    missed.density += chance * c * u * std::exp(-c * u);
  }
  return missed;
}

const std::vector<Setup>& setups() {
  static const std::vector<Setup> all{
      {{{1.0, 1}}, {0.3}, {0.3}},  // nobody else
      {{{0.5, 2}}, {0.0}, {0.5}},  // who knows nothing
      {{{0.1, 10}},
       {
           0.3,
       },
       {0.3}},                                                               //
      {{{0.1, 10}}, {0.05}, {0.02}},                                         //
      {{{0.1, 10}}, {0.9}, {0.95}},                                          //
      {{{0.05, 4}, {0.1, 4}, {0.2, 2}}, {0.1, 0.25, 0.6}, {0.3, 0.5, 0.8}},  //
      {{{0.01, 5}, {0.95, 1}}, {0.02, 0.97}, {0.1, 0.99}},                   // one holds nearly all
  };
  return all;
}

/// The trapezoid rule of spacing h errs by e^(-2 pi a / h) times the residues of the poles at
/// distance a = 1/2, which are 1 and c u: 2.3e-14 (1 + c) at h = 0.1; Gamma itself (Lanczos) to
/// 1e-13.
double tolerance(double c) { return 5e-13 * (1 + c); }

TEST(RowMixture, IsTheSumOverAllSetsOfWhoKnowsTheData) {
  for (std::size_t at = 0; at < setups().size(); ++at) {
    const auto& setup = setups()[at];
    const RowMixture mixture(setup.groups, setup.knows, setup.covers);
    for (std::size_t self = 0; self < setup.groups.size(); ++self) {
      for (const double c : {0.01, 0.3, 1.0, 5.0, 30.0, 300.0}) {
        const auto missed = mixture.missed(self, c, 0);
        const auto expected = brute_force(setup, self, c, 0);
        EXPECT_NEAR(missed.probability, expected.probability, tolerance(c))
            << "setup " << at << " self " << self << " c " << c;
        EXPECT_NEAR(missed.density, expected.density, tolerance(c))
            << "setup " << at << " self " << self << " c " << c;
      }
    }
  }
}

TEST(RowMixture, CorrectsForTheVarianceToFirstOrder) {
  for (std::size_t at = 0; at < setups().size(); ++at) {
    const auto& setup = setups()[at];
    const RowMixture mixture(setup.groups, setup.knows, setup.covers);
    for (std::size_t self = 0; self < setup.groups.size(); ++self) {
      for (const double c : {0.3, 1.0, 30.0}) {
        EXPECT_NEAR(mixture.missed(self, c, 0.1).probability,
                    brute_force(setup, self, c, 0.1).probability, tolerance(c))
            << "setup " << at << " self " << self << " c " << c;
      }
    }
  }
}

TEST(RowMixture, MeetsNothingWithoutDraws) {
  const RowMixture mixture({{0.5, 2}}, {0.3}, {0.3});
  EXPECT_EQ(mixture.missed(0, 0, 0.5).probability, 0);
  EXPECT_EQ(mixture.missed(0, 0, 0.5).density, 0);
}

}  // namespace
}  // namespace damocles::row_mixture_test
