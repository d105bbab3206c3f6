#include "ode/speed_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ode/mean_field.hpp"

namespace damocles::speed_law_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// `p` processors of these speeds in turn, drifting by 20 %, that share tasks_each tasks each.
Problem drifting(std::size_t p, const std::vector<double>& speeds, std::uint64_t tasks_each) {
  Platform platform{{}, 0.2, {}};
  for (std::size_t k = 0; k < p; ++k) platform.speeds.push_back(speeds[k % speeds.size()]);
  return {Workload::outer(p, tasks_each), platform};
}

TEST(SpeedLaw, IsTheGroupsWhereNothingDrifts) {
  const Problem problem(Workload::outer(9, 9), std::vector<double>{0.5, 0.125, 0.25, 0.125});

  const auto law = SpeedLaw::of(problem);

  EXPECT_TRUE((law.speed == Eigen::Array3d(0.5, 1, 2)).all());
  EXPECT_TRUE((law.initial == Eigen::Array3d(0.5, 0.25, 0.25)).all());
  EXPECT_TRUE((law.climb == 0).all() && (law.fall == 0).all());
}

TEST(SpeedLaw, StartsWithTheSpeedsOfThePlatform) {
  const auto problem = drifting(20, {80, 90, 101, 120}, 500);
  const auto law = SpeedLaw::of(problem);
  EXPECT_NEAR(law.initial.sum(), 1, 64 * eps);
  EXPECT_NEAR((law.initial * law.speed).sum(), 1, 64 * eps);
}

/// A task takes 1/v and changes v by a factor 1 + u, u uniform in [-0.2, 0.2]: mean 0, variance
/// v^2 0.04/3 a task, v times that in unit time.
TEST(SpeedLaw, MovesAsTheSpeedsDo) {
  const auto law = SpeedLaw::of(drifting(20, {80, 120}, 500));
  for (Eigen::Index i = 1; i + 1 < law.speed.size(); ++i) {
    const double v = law.speed[i];
    const double up = law.speed[i + 1] - v;
    const double down = v - law.speed[i - 1];
    const double variance = 0.04 / 3 * v * v * v;
    EXPECT_NEAR(law.climb[i] * up, law.fall[i] * down, 1e-12 * law.climb[i] * up);
    EXPECT_NEAR(law.climb[i] * up * up + law.fall[i] * down * down, variance, 1e-12 * variance);
  }
}

TEST(SpeedLaw, HasNothingBelowTheFloor) {
  const auto law = SpeedLaw::of(drifting(20, {80, 120}, 100'000));
  EXPECT_GE(law.speed[0] * 100, 1);
  EXPECT_LT(law.speed[0] * 100, 1.2);
  EXPECT_EQ(law.fall[0], 0);
}

/// 1/sqrt(v) is a Bessel process of dimension 4 with noise sigma/2, so from v = 1 the mean speed at
/// time t is E[1/|B|^2] = 1 - exp(-2/(sigma^2 t)): it falls although every step keeps it. With 10^6
/// processors one's own speed in the sum is nothing, and a speed of 10^12 never meets the floor.
/// The method is of second order: half the rungs, four times the error.
TEST(SpeedLaw, LosesSpeedAsTheInverseSquareOfABesselProcess) {
  Platform platform{std::vector<double>(1'000'000, 1e12), 0.2, {}};
  const Problem problem(Workload::outer(10'000, 20'000), platform);  // 200 tasks each
  const auto error = [&](int rungs) {
    const auto law = SpeedLaw::of(problem, rungs);
    MeanField field(law, problem.tasks(), 1e9);
    field.advance(2);
    const double exact = -std::expm1(-2 / (0.04 / 3 * field.time()));
    EXPECT_LT(exact, 0.8);  // there is something to see
    return (field.state().col(MeanField::mass) * law.speed).sum() / exact - 1;
  };
  const double coarse = error(48);
  const double fine = error(96);
  EXPECT_LT(std::abs(fine), 0.01);
  EXPECT_GT(std::abs(coarse / fine), 2.5);
}

}  // namespace
}  // namespace damocles::speed_law_test
