#include "ode/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/bounds/grid_bound.hpp"
#include "tests/ode/shares.hpp"

namespace damocles::problem_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(Problem, GroupsEqualSpeeds) {
  const Problem problem(Workload::outer(4, 4), std::vector<double>{0.25, 0.125, 0.25, 0.375});

  ASSERT_EQ(problem.groups().size(), 3U);
  double processors = 0;
  for (const auto& group : problem.groups()) {
    EXPECT_EQ(group.count, group.share == 0.25 ? 2 : 1);
    processors += group.count;
  }
  EXPECT_EQ(processors, 4);
}

TEST(Problem, KnowsItsGrid) {
  const auto shares = rising_shares(3);
  const Problem flat(Workload::outer(5, 13), shares);
  const Problem deep(Workload::matrix(4, 4, 4), shares);

  EXPECT_FALSE(flat.square());
  EXPECT_TRUE(deep.square());
  EXPECT_FALSE(Problem(Workload::matrix(4, 4, 5), shares).square());
  EXPECT_EQ(flat.tasks(), 65);
  EXPECT_EQ(flat.extent(1), 13);
  EXPECT_EQ(flat.balanced_bound(), balanced_bound(flat.workload(), shares));
}

/// On a square grid 2n sqrt(A) and 3 n^2 A^(2/3), A = 1 - e^(-L).
TEST(Problem, HoldsThePapersDataOnSquareGrids) {
  const Problem flat(Workload::outer(100, 100), equal_shares(20));
  const Problem deep(Workload::matrix(40, 40, 40), equal_shares(20));
  for (const double L : {0.01, 0.2, 1.0, 3.0}) {
    const double A = -std::expm1(-L);
    EXPECT_NEAR(flat.data(L), 200 * std::sqrt(A), 2000 * eps);
    EXPECT_NEAR(deep.data(L), 4800 * std::pow(A, 2.0 / 3), 48000 * eps);
    EXPECT_NEAR(flat.sides(L)[0], 100 * std::sqrt(A), 1000 * eps);
    EXPECT_NEAR(deep.sides(L)[2], 40 * std::cbrt(A), 400 * eps);
  }
}

/// A step adds one index to every side that still grows, so sides(L) gains 1 when L gains step(L)
/// dL: d side / dL = 1 / step.
TEST(Problem, StepsAsFastAsItsSidesGrow) {
  for (const auto& workload :
       {Workload::outer(100, 100), Workload::outer(5, 200), Workload::matrix(40, 40, 40),
        Workload::matrix(3, 60, 60), Workload::matrix(50, 2, 4)}) {
    const Problem problem(workload, equal_shares(10));
    for (const double L : {0.05, 0.3, 1.0, 2.0}) {
      // The longest side grows to the end. Error of the difference: (h/L)^2 and eps L/h, relative.
      int longest = 0;
      for (int index = 1; index < problem.dimensions(); ++index) {
        if (problem.extent(index) > problem.extent(longest)) longest = index;
      }
      const auto at = static_cast<std::size_t>(longest);
      const double h = 1e-5 * L;
      const double growth = (problem.sides(L + h)[at] - problem.sides(L - h)[at]) / (2 * h);
      EXPECT_NEAR(problem.step(L) * growth, 1, 1e-7) << workload.text() << " L " << L;
    }
  }
}

/// On square grids d data / dL = (n / sqrt(A)) e^(-L) and 2 n^2 A^(-1/3) e^(-L); the difference has
/// a relative error of (1e-4)^2 times a small factor.
TEST(Problem, SlopesAsTheDerivativeOfItsData) {
  const Problem flat(Workload::outer(100, 100), equal_shares(20));
  const Problem deep(Workload::matrix(40, 40, 40), equal_shares(20));
  for (const double L : {0.01, 0.2, 1.0, 3.0}) {
    const double A = -std::expm1(-L);
    const double flat_slope = 100 / std::sqrt(A) * std::exp(-L);
    const double deep_slope = 3200 / std::cbrt(A) * std::exp(-L);
    EXPECT_NEAR(flat.data_slope(L), flat_slope, 1e-6 * flat_slope);
    EXPECT_NEAR(deep.data_slope(L), deep_slope, 1e-6 * deep_slope);
  }
}

TEST(Problem, TakesSpeedsNearOneAnotherForTheirMean) {
  const Problem problem(Workload::outer(10, 10), std::vector<double>{0.1, 0.105, 0.105, 0.3, 0.39});

  const Problem fewer = problem.with_fewer_speeds(1.07);

  ASSERT_EQ(fewer.groups().size(), 3U);
  EXPECT_NEAR(fewer.groups()[0].share, 0.31 / 3, 1e-15);
  EXPECT_EQ(fewer.groups()[0].count, 3);
  EXPECT_EQ(fewer.groups()[1].share, 0.3);
  EXPECT_EQ(fewer.groups()[2].share, 0.39);
  EXPECT_EQ(fewer.balanced_bound(), problem.balanced_bound());
  EXPECT_EQ(problem.with_fewer_speeds(1).groups().size(), 4U);
}

}  // namespace
}  // namespace damocles::problem_test
