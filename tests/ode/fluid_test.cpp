#include "tests/ode/fluid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/ode/shares.hpp"

namespace damocles::fluid_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// The closed form at the switch, one component a processor.
Eigen::VectorXd closed_form(int dimensions, const std::vector<double>& shares, double beta) {
  Eigen::VectorXd g(static_cast<Eigen::Index>(shares.size()));
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double x = known_fraction(dimensions, beta, shares[k]);
    g[static_cast<Eigen::Index>(k)] = open_fraction(dimensions, 1 / shares[k] - 1, x);
  }
  return g;
}

TEST(OpenFraction, IsOneAtTheStartAndNothingAtTheEnd) {
  for (const int d : {2, 3}) {
    EXPECT_EQ(open_fraction(d, 19, 0), 1);
    EXPECT_EQ(open_fraction(d, 19, 1), 0);
  }
}

TEST(OpenFraction, IsTheClosedFormByHand) {
  // (1 - 0.36)^3 and (1 - 0.216)^2; alone (alpha = 0) every other task stays open.
  EXPECT_NEAR(open_fraction(2, 3, 0.6), 0.262144, 4 * eps);
  EXPECT_NEAR(open_fraction(3, 2, 0.6), 0.614656, 4 * eps);
  EXPECT_EQ(open_fraction(2, 0, 0.6), 1);
}

/// dg/dx = -d alpha x^(d-1) g / (1 - x^d), by central differences: their error is
/// h^2/6 g''' + eps/h g, below 1e-8 at h = 1e-5 and these alpha.
TEST(OpenFraction, SolvesLemma1) {
  const double h = 1e-5;
  for (const int d : {2, 3}) {
    for (const double alpha : {0.5, 3.0, 19.0}) {
      for (const double x : {0.1, 0.4, 0.7}) {
        const double slope =
            (open_fraction(d, alpha, x + h) - open_fraction(d, alpha, x - h)) / (2 * h);
        const double g = open_fraction(d, alpha, x);
        EXPECT_NEAR(slope, -d * alpha * std::pow(x, d - 1) * g / (1 - std::pow(x, d)),
                    2e-8 * alpha);
      }
    }
  }
}

// 1 - (1 - x^d)^(alpha + 1): by hand 1 - 0.64^4 and 1 - 0.784^3.
TEST(TimeFraction, IsTheClosedFormByHand) {
  EXPECT_NEAR(time_fraction(2, 3, 0.6), 0.83222784, 4 * eps);
  EXPECT_NEAR(time_fraction(3, 2, 0.6), 0.518109696, 4 * eps);
}

/// Lemma 3 without its o(): the instant of the switch is 1 - e^(-beta) of the work for every k.
TEST(KnownFraction, IsReachedByAllAtOneInstant) {
  for (const int d : {2, 3}) {
    for (const double beta : {0.25, 1.0, 4.0, 6.0}) {
      for (const double share : rising_shares(20)) {
        const double x = known_fraction(d, beta, share);
        // x^d is 1 - e^(-beta rs) with an error of epsilon, which (1 - x^d)^(1/rs) takes to
        // epsilon/rs at most; rs is at least 1/210.
        EXPECT_NEAR(time_fraction(d, 1 / share - 1, x), -std::expm1(-beta), 4 * 210 * eps);
      }
    }
  }
}

TEST(IntegrateOpenFractions, FindsTheClosedForm) {
  for (const int d : {2, 3}) {
    for (const auto& shares : {equal_shares(1), equal_shares(2), equal_shares(20),
                               rising_shares(10), std::vector<double>{0.001, 0.099, 0.9}}) {
      for (const double beta : {0.25, 1.0, 2.5, 4.0, 6.0}) {
        const auto g = integrate_open_fractions(d, shares, beta, 1e-12);
        const auto expected = closed_form(d, shares, beta);
        ASSERT_EQ(g.size(), expected.size());
        for (Eigen::Index k = 0; k < g.size(); ++k) {
          EXPECT_NEAR(g[k], expected[k], 1e-9 * expected[k])
              << "d " << d << " beta " << beta << " k " << k << " of " << g.size();
        }
      }
    }
  }
}

TEST(IntegrateOpenFractions, StaysAtOneWhereBetaIsZero) {
  for (const double g : integrate_open_fractions(2, equal_shares(4), 0, 1e-10)) EXPECT_EQ(g, 1);
}

/// Halving the step of a fourth-order method divides the error by 16: the slope of log2(error)
/// is 4. The next term of the error is smaller by the step, here 1/64, so 0.2 is wide enough.
TEST(OpenFraction, ErrorFallsWithTheFourthPowerOfTheStep) {
  for (const int d : {2, 3}) {
    for (const auto& shares : {equal_shares(5), rising_shares(4)}) {
      for (const double beta : {1.0, 3.0}) {
        const auto exact = closed_form(d, shares, beta);
        const auto error = [&](int steps) {
          return (integrate_open_fractions_fixed(d, shares, beta, steps) - exact).norm();
        };
        for (const int steps : {32, 64}) {
          EXPECT_NEAR(std::log2(error(steps) / error(2 * steps)), 4, 0.2)
              << "d " << d << " beta " << beta << " steps " << steps;
        }
      }
    }
  }
}

}  // namespace
}  // namespace damocles::fluid_test
