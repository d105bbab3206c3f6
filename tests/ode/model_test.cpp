#include "ode/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/bounds/grid_bound.hpp"
#include "tests/error_text.hpp"
#include "tests/ode/shares.hpp"

namespace damocles::model_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

Problem outer(std::uint64_t n, const std::vector<double>& shares) {
  return {Workload::outer(n, n), shares};
}
Problem matrix(std::uint64_t n, const std::vector<double>& shares) {
  return {Workload::matrix(n, n, n), shares};
}

/// Volume ratio that the model predicts.
double ratio(const char* model, const Problem& problem, double beta) {
  return model_named(model).predict(problem, beta)->loads / problem.balanced_bound();
}

/// The same where every processor loads all data items, the most that is possible.
double largest_ratio(const Problem& problem) {
  return problem.processors() * static_cast<double>(problem.workload().data()) /
         problem.balanced_bound();
}

/// Theorem 6 for 20 equal processors and 100 blocks, at beta = 4: sum of sqrt(1/20) = sqrt(20) =
/// 4.472136, sum of (1/20)^(3/2) = 1/sqrt(20) = 0.2236068.
///
///   sqrt(4) - 4^(3/2)/4 0.2236068/4.472136 = 2 - 2 * 0.05 = 1.9
///   e^-4 * 100 (1 - 2 * 0.2236068)/4.472136 = 1.8315639 * 0.5527864/4.472136 = 0.2263931
TEST(PaperModel, IsTheorem6ByHand) {
  const auto problem = outer(100, equal_shares(20));
  const auto prediction = predict_paper(problem, 4);

  EXPECT_NEAR(prediction->loads / problem.balanced_bound(), 2.1263931, 1e-6);
  EXPECT_NEAR(prediction->phase1_loads / problem.balanced_bound(), 1.9, 1e-12);
  EXPECT_NEAR(prediction->phase1_fraction, 0.9816844, 1e-7);  // 1 - 0.0183156
  EXPECT_FALSE(prediction->sd_loads);
}

/// Unequal speeds, the theorem as printed, as far as it predicts what is possible.
TEST(PaperModel, IsTheorem6ForUnequalSpeeds) {
  const auto shares = rising_shares(7);
  double half = 0;
  double three_halves = 0;
  for (const double share : shares) {
    half += std::sqrt(share);
    three_halves += share * std::sqrt(share);
  }
  for (const double beta : {0.5, 2.0, 4.0}) {
    const double printed = std::sqrt(beta) - std::pow(beta, 1.5) / 4 * three_halves / half +
                           std::exp(-beta) * 50 * (1 - std::sqrt(beta) * three_halves) / half;
    const double expected = std::min(printed, largest_ratio(outer(50, shares)));
    EXPECT_NEAR(ratio("paper", outer(50, shares), beta), expected, 20 * eps * expected);
    EXPECT_EQ(printed > expected, beta == 0.5);
  }
}

/// Section 4.2 for 8 equal processors and 40 blocks, at beta = 2: sum of (1/8)^(2/3) = 2, sum of
/// (1/8)^(5/3) = 1/4.
///
///   as printed:  2^(2/3) (1 - 2/8) + e^-2 * 40 (1 - 2^(2/3)/4)/2
///   corrected:   2^(2/3) (1 - 2/24) + the same
///
/// At beta = 1 both are above 4, as much as 8 processors can load.
TEST(PaperModel, IsSection42ByHand) {
  const auto problem = matrix(40, equal_shares(8));
  const double side = std::pow(2, 2.0 / 3);
  const double phase2 = std::exp(-2) * 20 * (1 - side / 4);

  EXPECT_NEAR(ratio("paper", problem, 2), side * 0.75 + phase2, 40 * eps);
  EXPECT_NEAR(ratio("corrected", problem, 2), side * (1 - 2.0 / 24) + phase2, 40 * eps);
  EXPECT_NEAR(largest_ratio(problem), 4, 4 * eps);
  for (const char* const model : {"paper", "corrected"}) {
    EXPECT_NEAR(ratio(model, problem, 1), 4, 4 * eps) << model;
  }
}

TEST(PaperModel, SaysNothingOfGridsThatAreNotSquareOrOfDynamic) {
  const Problem wide(Workload::outer(5, 13), equal_shares(4));
  EXPECT_FALSE(predict_paper(wide, 3));
  EXPECT_FALSE(predict_corrected(wide, 3));
  EXPECT_FALSE(predict_paper(outer(10, equal_shares(4)), infinity));
  EXPECT_FALSE(predict_corrected(matrix(10, equal_shares(4)), infinity));
}

/// Nothing expanded: 2n sum of x_k, then 2/(1 + x_k) loads for each of e^(-beta) n^2 rs_k tasks;
/// and 3n^2 sum of x_k^2, then 3 (1 - x_k^2)/(1 - x_k^3).
TEST(ExactModel, IsTheClosedFormOfTheOde) {
  for (const double beta : {0.5, 2.0, 4.0}) {
    for (const auto& shares : {equal_shares(20), rising_shares(9)}) {
      double flat = 0;
      double deep = 0;
      for (const double share : shares) {
        const double A = 1 - std::exp(-beta * share);
        const double x = std::sqrt(A);
        const double y = std::cbrt(A);
        flat += 2 * 100 * x + std::exp(-beta) * 1e4 * share * 2 / (1 + x);
        deep += 3 * 1600 * y * y + std::exp(-beta) * 64'000 * share * 3 * (1 - y * y) / (1 - A);
      }
      const auto p = static_cast<double>(shares.size());
      flat = std::min(flat, p * 200);  // all data items, on each
      deep = std::min(deep, p * 4800);
      EXPECT_NEAR(predict_exact(outer(100, shares), beta)->loads, flat, 1e-12 * flat);
      EXPECT_NEAR(predict_exact(matrix(40, shares), beta)->loads, deep, 1e-12 * deep);
    }
  }
}

/// The first-order formulas are expansions of the exact one in rs: with 100 times the processors
/// and 10 or 100^(1/3) times the blocks they come closer. At 2000 processors beta rs is 0.0015.
TEST(ExactModel, IsWhatTheCorrectedModelExpands) {
  for (const double beta : {1.0, 3.0}) {
    const auto flat = outer(1000, equal_shares(2000));
    const auto deep = matrix(200, equal_shares(2000));
    // Second order: (beta rs)^2 < 3e-6 in phase 1; phase 2 leaves out powers of x^2 = beta rs (and
    // y^3), a few of which stand beside the volume of phase 2.
    EXPECT_NEAR(ratio("exact", flat, beta) / ratio("corrected", flat, beta), 1, 2e-3);
    EXPECT_NEAR(ratio("exact", deep, beta) / ratio("corrected", deep, beta), 1, 2e-3);
  }
}

TEST(EveryModel, SplitsTheRunInTwoPhases) {
  for (const auto& model : models()) {
    for (const auto& problem : {outer(100, equal_shares(20)), matrix(40, rising_shares(10))}) {
      for (const double beta : {0.5, 2.0, 4.0}) {
        const auto prediction = model.predict(problem, beta);
        ASSERT_TRUE(prediction) << model.name;
        EXPECT_GT(prediction->loads, prediction->phase1_loads) << model.name;
        EXPECT_GT(prediction->phase1_loads, 0) << model.name;
        // `refined` adds the last step, which overshoots.
        EXPECT_NEAR(prediction->phase1_fraction, 1 - std::exp(-beta), 0.05) << model.name;
        EXPECT_GT(prediction->loads, problem.balanced_bound()) << model.name;
      }
    }
  }
}

/// One processor loads all data once in the end. `exact` does not know: it counts a data item that
/// two tasks of phase 2 need for either.
TEST(RefinedModel, LoadsAllDataOnceOnOneProcessor) {
  for (const auto& problem : {outer(200, {1.0}), matrix(60, {1.0})}) {
    for (const double beta : {2.0, 5.0, 8.0}) {
      const auto data = static_cast<double>(problem.workload().data());
      EXPECT_NEAR(predict_refined(problem, beta)->loads / data, 1, 0.01) << beta;
    }
  }
}

TEST(EveryModel, SaysWhetherItSaysSomething) {
  for (const auto& model : models()) {
    for (const auto& problem : {outer(10, equal_shares(20)), outer(10, equal_shares(26)),
                                Problem(Workload::outer(5, 13), equal_shares(4))}) {
      for (const double beta : {2.0, infinity}) {
        EXPECT_EQ(model.why_unavailable(problem, beta).empty(),
                  model.predict(problem, beta).has_value())
            << model.name << " " << beta;
      }
    }
  }
}

TEST(ModelNamed, FindsEachModelAndRefusesOthers) {
  for (const auto& model : models()) EXPECT_EQ(model_named(model.name).name, model.name);
  EXPECT_EQ(
      error_text([] { static_cast<void>(model_named("papr")); }),
      "unknown model 'papr'; did you mean 'paper'? valid: paper, corrected, exact, refined, ode");
}

}  // namespace
}  // namespace damocles::model_test
