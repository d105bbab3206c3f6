#include "ode/mean_field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/ode/fluid.hpp"
#include "tests/ode/shares.hpp"

namespace damocles::mean_field_test {
namespace {

constexpr double never = 1e9;  // the switch

Problem drifting(double drift) {
  return {Workload::outer(100, 100),
          Platform{{80, 85, 90, 95, 100, 105, 110, 115, 120}, drift, {}}};
}

/// Nothing drifts: L = rs tau, and the share still open of what a processor does not cover is
/// Lemma 1's closed form, in 2 and in 3 dimensions.
TEST(MeanField, IsLemma1WhereSpeedsStay) {
  for (const auto& shares : {equal_shares(20), rising_shares(10)}) {
    const Problem problem(Workload::outer(100, 100), shares);
    const auto law = SpeedLaw::of(problem);
    MeanField field(law, problem.tasks(), never);
    for (const double tau : {0.5, 2.0, 6.0}) {
      field.advance(tau);
      for (Eigen::Index g = 0; g < law.speed.size(); ++g) {
        const double share = law.speed[g] / law.processors;
        const double L = field.state()(g, MeanField::L) / field.state()(g, MeanField::mass);
        EXPECT_NEAR(L, share * tau, 1e-9 * share * tau);
        for (const int d : {2, 3}) {
          const double x = std::pow(-std::expm1(-L), 1.0 / d);
          const double g_k = std::exp(-tau) / (1 - std::pow(x, d));
          EXPECT_NEAR(open_fraction(d, 1 / share - 1, x) / g_k, 1, 1e-7);
        }
      }
    }
  }
}

/// Phase 2 goes to processors as their speeds, and takes the time of its tasks: 10^4 of mean speed
/// on p processors in all, but for the e^-12 that are left. A step may err by 1e-8, and there are
/// some 40.
TEST(MeanField, DrawsPhase2AsTheSpeeds) {
  const Problem problem(Workload::outer(100, 100), rising_shares(10));
  const auto law = SpeedLaw::of(problem);
  MeanField field(law, problem.tasks(), 3);
  field.advance(12);
  const auto& state = field.state();
  for (Eigen::Index g = 0; g < law.speed.size(); ++g) {
    const double share = law.speed[g] / law.processors;
    EXPECT_NEAR(state(g, MeanField::L) / state(g, MeanField::mass), 3 * share, 4e-7);
    EXPECT_NEAR(state(g, MeanField::D) / state(g, MeanField::mass), share * -std::expm1(-9), 4e-7);
  }
  EXPECT_NEAR(field.time(), 1000 * -std::expm1(-12), 1e-4);
}

/// Whatever drifts, the open tasks are shared out: the sum of dL over processors is dtau.
TEST(MeanField, SharesOutAllTasks) {
  for (const double drift : {0.0, 0.05, 0.2}) {
    const auto problem = drifting(drift);
    const auto law = SpeedLaw::of(problem);
    MeanField field(law, problem.tasks(), 4);
    field.advance(10);
    EXPECT_NEAR(field.state().col(MeanField::mass).sum(), 1, 1e-6);
    EXPECT_NEAR(law.processors * field.state().col(MeanField::L).sum(), 4, 1e-5);
    EXPECT_NEAR(law.processors * field.state().col(MeanField::D).sum(), -std::expm1(-6), 1e-5);
  }
}

TEST(MeanField, SpreadsOnlyWhereSpeedsDrift) {
  const auto spread = [](double drift) {
    const auto problem = drifting(drift);
    const auto law = SpeedLaw::of(problem);
    MeanField field(law, problem.tasks(), never);
    field.advance(4);
    const auto& state = field.state();
    const double mean = state.col(MeanField::L).sum();
    return std::sqrt(state.col(MeanField::L2).sum() - mean * mean) / mean;
  };
  // The relative standard deviation of the speeds 80, 85, ... 120 is 12.9/100.
  EXPECT_NEAR(spread(0), 0.129, 0.001);
  EXPECT_GT(spread(0.05), 0.5);
  // So many steps of 20 % that most are near the floor: the spread is in who was quick before.
  EXPECT_GT(spread(0.2), 0.3);
}

/// Halving the step of a fourth-order method divides the error by 16, once it is small beside the
/// time in which the quickest rung is left; at coarser steps than these that decides. The next term
/// of the error is smaller by the step, so 0.2 is wide enough.
TEST(MeanField, ErrorFallsWithTheFourthPowerOfTheStep) {
  const auto problem = drifting(0.05);
  const auto law = SpeedLaw::of(problem);
  const auto at_switch = [&](int steps) {
    MeanField field(law, problem.tasks(), never);
    field.advance_fixed(1, steps);
    return field.state();
  };
  const auto exact = at_switch(8192);
  const auto error = [&](int steps) { return (at_switch(steps) - exact).matrix().norm(); };
  for (const int steps : {512, 1024}) {
    EXPECT_NEAR(std::log2(error(steps) / error(2 * steps)), 4, 0.2) << steps;
  }
}

TEST(MeanField, IsTheSameByEitherStepper) {
  const auto problem = drifting(0.05);
  const auto law = SpeedLaw::of(problem);
  MeanField adaptive(law, problem.tasks(), 2);
  MeanField fixed(law, problem.tasks(), 2);
  adaptive.advance(4);
  fixed.advance_fixed(4, 2048);
  EXPECT_LT((adaptive.state() - fixed.state()).abs().maxCoeff(), 1e-6);
  EXPECT_NEAR(adaptive.time(), fixed.time(), 1e-6 * fixed.time());
}

}  // namespace
}  // namespace damocles::mean_field_test
