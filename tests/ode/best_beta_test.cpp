#include "ode/best_beta.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ode/shares.hpp"

namespace damocles::best_beta_test {
namespace {

Problem outer(std::uint64_t n, const std::vector<double>& shares) {
  return {Workload::outer(n, n), shares};
}
Problem matrix(std::uint64_t n, const std::vector<double>& shares) {
  return {Workload::matrix(n, n, n), shares};
}

/// HPDC'14 section 3.6: 4.1705 for 20 equal processors and 100 blocks.
TEST(BestBeta, IsThePapersForTheOuterProduct) {
  EXPECT_NEAR(*best_beta(model_named("paper"), outer(100, equal_shares(20))), 4.1705, 5e-5);
}

/// HPDC'14 section 4.3 prints 2.92 for 100 equal processors and 40 blocks.
TEST(BestBeta, IsThePapersForTheMatrixProduct) {
  const double beta = *best_beta(model_named("paper"), matrix(40, equal_shares(100)));
  EXPECT_NEAR(beta, 2.92, 5e-3);
  EXPECT_NEAR(beta, 2.9158, 5e-5);
}

TEST(BestBeta, IsAValley) {
  for (const auto& model : models()) {
    for (const auto& problem : {outer(100, equal_shares(20)), outer(300, rising_shares(50)),
                                matrix(40, equal_shares(100)), matrix(60, rising_shares(30))}) {
      const auto beta = best_beta(model, problem);
      ASSERT_TRUE(beta) << model.name;
      const double best = model.predict(problem, *beta)->loads;
      for (const double step : {0.02, 0.1, 0.5}) {
        EXPECT_LT(best, model.predict(problem, *beta - step)->loads) << model.name << " " << step;
        EXPECT_LT(best, model.predict(problem, *beta + step)->loads) << model.name << " " << step;
      }
    }
  }
}

/// One processor: `exact` counts up to two loads for each task of phase 2, so the volume falls to
/// the last, e^(-beta) n^2 faster than e^(-beta) n.
TEST(BestBeta, IsNothingWhereTheVolumeFallsToTheEnd) {
  EXPECT_FALSE(best_beta(model_named("exact"), outer(100, {1.0})));
  EXPECT_FALSE(solve_best_beta(model_named("exact"), outer(100, {1.0})));
}

/// 1000 processors for 100 tasks: sqrt(beta) + e^(-beta) 10/sqrt(1000) (...) grows from the start,
/// for its slope 1/(2 sqrt(beta)) - 0.32 e^(-beta) is positive everywhere.
TEST(BestBeta, IsNothingWhereTheVolumeGrowsFromTheStart) {
  EXPECT_FALSE(best_beta(model_named("paper"), outer(10, equal_shares(1000))));
}

/// Not defined by the paper's formulas: infinite everywhere, no valley.
TEST(BestBeta, IsNothingWhereTheModelSaysNothing) {
  const Problem wide(Workload::outer(5, 13), equal_shares(4));
  EXPECT_FALSE(best_beta(model_named("paper"), wide));
}

TEST(SolveBestBeta, ComparesWithEqualSpeeds) {
  const auto& model = model_named("paper");
  const auto problem = outer(100, rising_shares(20));
  const auto equal = outer(100, equal_shares(20));

  const auto best = solve_best_beta(model, problem);

  ASSERT_TRUE(best);
  EXPECT_EQ(best->beta, *best_beta(model, problem));
  EXPECT_EQ(best->volume_ratio, model.predict(problem, best->beta)->loads / problem.lower_bound());
  EXPECT_NEAR(best->phase1_fraction, 1 - std::exp(-best->beta), 1e-15);
  // Equal speeds, grouped or not, differ by the rounding of 1/20; a minimum is found to the root
  // of epsilon.
  EXPECT_NEAR(best->beta_homogeneous, *best_beta(model, equal), 1e-6);
  EXPECT_NEAR(best->volume_ratio_at_beta_homogeneous,
              model.predict(problem, best->beta_homogeneous)->loads / problem.lower_bound(), 1e-12);
  EXPECT_GE(best->volume_ratio_at_beta_homogeneous, best->volume_ratio);
}

TEST(SolveBestBeta, AgreesWithItselfAtEqualSpeeds) {
  for (const auto& model : models()) {
    const auto best = solve_best_beta(model, matrix(40, equal_shares(100)));
    ASSERT_TRUE(best) << model.name;
    EXPECT_NEAR(best->beta, best->beta_homogeneous, 1e-6) << model.name;
    EXPECT_NEAR(best->volume_ratio, best->volume_ratio_at_beta_homogeneous, 1e-9) << model.name;
  }
}

}  // namespace
}  // namespace damocles::best_beta_test
