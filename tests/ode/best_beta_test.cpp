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
  EXPECT_EQ(best->volume_ratio,
            model.predict(problem, best->beta)->loads / problem.balanced_bound());
  EXPECT_NEAR(best->phase1_fraction, 1 - std::exp(-best->beta), 1e-15);
  // Equal speeds, grouped or not, differ by the rounding of 1/20; a minimum is found to the root
  // of epsilon.
  EXPECT_NEAR(best->beta_homogeneous, *best_beta(model, equal), 1e-6);
  EXPECT_NEAR(best->volume_ratio_at_beta_homogeneous,
              model.predict(problem, best->beta_homogeneous)->loads / problem.balanced_bound(),
              1e-12);
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

TEST(BetaOf, StartsPhaseTwoWithSoManyTasks) {
  for (const std::uint64_t n : {10, 100, 31'623}) {
    const auto problem = outer(n, equal_shares(7));
    for (const double left :
         {1.0, 2.0, 17.0, std::floor(0.1 * problem.tasks()), problem.tasks() - 1}) {
      EXPECT_EQ(problem.tasks_left(beta_of(problem, left)), left) << n;
    }
  }
  // ln(10^4 / 167) = 4.0923, ln(10^4 / 168) = 4.0864.
  EXPECT_EQ(beta_of(outer(100, equal_shares(20)), 167), 4.09);
}

/// A threshold is a whole number of tasks, so beta says no more than that number.
TEST(RefinedModel, IsTheSameForAllBetasOfOneThreshold) {
  for (const auto& problem : {outer(100, equal_shares(20)), outer(12, equal_shares(30))}) {
    const double left = std::floor(0.1 * problem.tasks()) + 0.5;
    const double T = problem.tasks();
    const auto loads = [&](double tasks) {
      return model_named("refined").predict(problem, std::log(T / tasks))->loads;
    };
    EXPECT_EQ(loads(left - 0.4), loads(left + 0.4));
    EXPECT_NE(loads(left - 0.4), loads(left + 0.6));
  }
}

/// By trying all of them.
TEST(BestThreshold, IsTheLeastOfAllWholeNumbers) {
  const Model& refined = model_named("refined");
  for (const auto& problem : {outer(20, equal_shares(9)), outer(8, equal_shares(5))}) {
    const auto best = best_threshold(refined, problem);
    ASSERT_TRUE(best);
    EXPECT_EQ(best->loads, refined.predict(problem, best->beta)->loads);
    EXPECT_EQ(problem.tasks_left(best->beta), best->tasks_left);
    for (double left = 1; left < problem.tasks(); ++left) {
      const double there = refined.predict(problem, beta_of(problem, left))->loads;
      // Where phase 1 is sampled, what a hundred thresholds tell may miss the least by its noise.
      EXPECT_GE(there, best->loads * (1 - 1e-3)) << left;
    }
  }
}

TEST(NearlyAsGood, IsARangeAroundTheBestInWhichNothingCostsMuchMore) {
  const Model& refined = model_named("refined");
  for (const auto& problem : {outer(100, equal_shares(20)), matrix(40, equal_shares(100))}) {
    const auto best = *best_threshold(refined, problem);
    const auto [lowest, highest] = nearly_as_good(refined, problem, best, 1e-3);
    EXPECT_LT(lowest, best.beta - 0.02);
    EXPECT_GT(highest, best.beta + 0.02);
    for (int i = 0; i <= 20; ++i) {
      const double beta = lowest + (highest - lowest) * i / 20;
      EXPECT_LE(refined.predict(problem, beta)->loads, best.loads * 1.0011) << beta;
    }
    EXPECT_GT(refined.predict(problem, lowest - 0.05)->loads, best.loads * 1.001);
    EXPECT_GT(refined.predict(problem, highest + 0.05)->loads, best.loads * 1.001);
  }
}

/// Beside thresholds that a search finds. Of few tasks the model itself is off by as much.
TEST(QuickTasksLeft, LoadHardlyMoreThanTheBestThreshold) {
  const Model& refined = model_named("refined");
  for (const auto& problem :
       {outer(9, equal_shares(5)), outer(15, equal_shares(2)), outer(15, equal_shares(4)),
        matrix(6, equal_shares(3)), outer(30, equal_shares(5)), outer(50, equal_shares(4)),
        outer(100, equal_shares(2)), outer(100, equal_shares(5)), outer(100, equal_shares(20)),
        outer(300, equal_shares(50)), matrix(20, equal_shares(2)), matrix(40, equal_shares(100)),
        matrix(60, equal_shares(20)), Problem(Workload::outer(40, 160), equal_shares(8)),
        Problem(Workload::outer(10, 200), equal_shares(4))}) {
    const double within = problem.tasks() < 1000 ? 0.012 : 0.005;
    const auto left = quick_tasks_left(problem);
    ASSERT_TRUE(left);
    EXPECT_LE(refined.predict(problem, beta_of(problem, *left))->loads,
              (1 + within) * best_threshold(refined, problem)->loads)
        << problem.workload().text() << " " << problem.processors();
  }
}

TEST(QuickTasksLeft, AreNoneWhereNobodySwitches) {
  EXPECT_FALSE(quick_tasks_left(outer(100, {1.0})));
  EXPECT_FALSE(quick_tasks_left(outer(1, equal_shares(2))));
  EXPECT_FALSE(quick_tasks_left(outer(10, equal_shares(60))));  // no mean field
}

/// No processor can use more than every data item.
TEST(ClosedForms, LoadAtMostAllDataOnEachProcessor) {
  for (const char* const model : {"paper", "corrected", "exact"}) {
    for (const auto& problem : {outer(100, equal_shares(20)), matrix(20, equal_shares(4))}) {
      const auto there = model_named(model).predict(problem, 0.01);
      ASSERT_TRUE(there) << model;
      EXPECT_LE(there->loads, problem.processors() * static_cast<double>(problem.workload().data()))
          << model;
    }
  }
}

/// What is recommended (equal speeds) and what the other models print, whatever the speeds: under
/// the model that recommends, none of those is better.
TEST(BestThreshold, IsNotBeatenByWhatAnyModelCallsBest) {
  const Model& refined = model_named("refined");
  for (const auto& problem :
       {outer(100, equal_shares(20)), outer(60, rising_shares(6)), matrix(30, rising_shares(5)),
        Problem(Workload::outer(40, 80), rising_shares(4))}) {
    const Problem equal = problem.with_equal_speeds();
    const auto recommended = best_threshold(refined, equal);
    ASSERT_TRUE(recommended);
    for (const Model& model : models()) {
      const auto best = solve_best_beta(model, problem);
      if (!best) continue;
      for (const double beta : {best->beta, best->beta_homogeneous}) {
        EXPECT_GE(refined.predict(equal, beta)->loads, recommended->loads) << model.name;
      }
      EXPECT_GE(best->volume_ratio_at_beta_homogeneous, best->volume_ratio) << model.name;
    }
  }
}

}  // namespace
}  // namespace damocles::best_beta_test
