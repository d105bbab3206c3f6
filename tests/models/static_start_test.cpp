#include "models/static_start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/error.hpp"

namespace damocles::static_start_test {
namespace {

StaticStart start_of(const std::string& text) { return StaticStart(Spec::parse(text, "strategy")); }

std::vector<double> drawn(std::size_t p, double lo, double hi, Rng& rng) {
  std::vector<double> result(p);
  for (double& value : result) value = lo + (hi - lo) * rng.uniform();
  return result;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Ten processors of equal estimates 1/10, wrong by up to a third: the fast ones may be twice as
/// fast as the slow one, which then has 1 / (1 + 9 * 2) of the speed in place of 1/10.
TEST(SafeShare, ByHand) {
  EXPECT_NEAR(safe_share(0.1, 1.0 / 3), 10.0 / 19, 1e-15);
  EXPECT_EQ(safe_share(0.1, 0), 1);
  EXPECT_EQ(safe_share(1, 0.9), 1);
}

/// No true speeds within the error make it too much, and some make it just enough.
TEST(SafeShare, IsTheLargestThatIsSafe) {
  Rng rng(1, Draw::test, 0);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t p = 2 + rng.below(6);
    const double error = 0.9 * rng.uniform();
    auto estimates = drawn(p, 0.1, 1, rng);
    const double whole = sum(estimates);
    for (double& estimate : estimates) estimate /= whole;
    for (std::size_t k = 0; k < p; ++k) {
      // Time at which what is kept ends, where all could end at 1: of processor k, for every corner
      // of the factors. Between the corners it is monotone in each factor.
      double latest = 0;
      for (std::size_t corner = 0; corner < std::size_t{1} << p; ++corner) {
        std::vector<double> truth(p);
        for (std::size_t q = 0; q < p; ++q) {
          truth[q] = estimates[q] / ((corner >> q & 1U) != 0 ? 1 + error : 1 - error);
        }
        const double kept = safe_share(estimates[k], error) * estimates[k];
        latest = std::max(latest, kept / (truth[k] / sum(truth)));
      }
      EXPECT_NEAR(latest, 1, 1e-12);
    }
  }
}

TEST(StaticStart, DrawsEstimatesWithinTheError) {
  Rng rng(1, Draw::test, 0);
  const std::vector<double> truth{1, 2, 3, 4};
  double least = 2;
  double most = 0;
  for (int repeat = 0; repeat < 500; ++repeat) {
    const auto estimates = start_of("hybrid:error=0.3").estimated(truth, rng);
    EXPECT_NEAR(sum(estimates), 1, 1e-12);
    for (std::size_t k = 1; k < truth.size(); ++k) {
      const double wrong = estimates[k] / estimates[0] / truth[k] * truth[0];
      EXPECT_LE(wrong, 1.3 / 0.7 + 1e-12);
      EXPECT_GE(wrong, 0.7 / 1.3 - 1e-12);
      least = std::min(least, wrong);
      most = std::max(most, wrong);
    }
  }
  // Of 1500 ratios of two uniform factors the most lies beyond 1.3 times 1.2 / 0.8.
  EXPECT_GT(most, 1.5);
  EXPECT_LT(least, 1 / 1.5);

  Rng untouched(1, Draw::test, 1);
  Rng twin(1, Draw::test, 1);
  const std::vector<double> exact{0.1, 0.2, 0.3, 0.4};
  const auto estimates = start_of("hybrid").estimated(truth, untouched);
  for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(estimates[k], exact[k], 1e-15);
  EXPECT_EQ(untouched.next(), twin.next());
}

/// 10 x 10 tasks, speeds 3 : 1: columns give 8 : 2 or 7 : 3 columns of blocks, 75 : 25 tasks are
/// due.
TEST(StaticStart, KeepsNoMoreThanIsDue) {
  const auto workload = Workload::outer(10, 10);
  const std::vector<double> speeds{0.75, 0.25};
  const auto zones = start_of("hybrid:zones=columns").zones(workload, speeds);
  ASSERT_EQ(zones[0].tasks() + zones[1].tasks(), 100U);
  ASSERT_EQ(std::max(zones[0].tasks(), zones[1].tasks()) % 10, 0U);

  for (std::size_t k = 0; k < 2; ++k) {
    const auto due = static_cast<std::uint64_t>(100 * speeds[k]);
    EXPECT_EQ(start_of("hybrid").kept(zones[k], speeds[k], workload),
              std::min(zones[k].tasks(), due));
    EXPECT_EQ(start_of("hybrid:share=1").kept(zones[k], speeds[k], workload), zones[k].tasks());
    EXPECT_EQ(start_of("hybrid:share=0").kept(zones[k], speeds[k], workload), 0U);
  }
  // Assumed wrong by 0.2: 1 / (0.75 + 0.25 * 1.5) of 75 is 66.67.
  EXPECT_EQ(start_of("hybrid:assumed=0.2").kept(zones[0], speeds[0], workload), 66U);
  EXPECT_EQ(start_of("hybrid:error=0.2").kept(zones[0], speeds[0], workload), 66U);
  EXPECT_EQ(start_of("hybrid:error=0.2,assumed=0").kept(zones[0], speeds[0], workload),
            std::min<std::uint64_t>(zones[0].tasks(), 75));
}

/// Of 10 : 1 the square corner reads fewer, of ten equal ones columns do.
TEST(StaticStart, TakesThePartitionThatReadsFewest) {
  const auto workload = Workload::outer(100, 100);
  const auto data = [&](const std::string& text, const std::vector<double>& speeds) {
    std::uint64_t result = 0;
    for (const auto& zone : start_of(text).zones(workload, speeds)) result += zone.data();
    return result;
  };
  const std::vector<double> uneven{10.0 / 11, 1.0 / 11};
  EXPECT_LT(data("hybrid:zones=nrrp", uneven), data("hybrid:zones=columns", uneven));
  EXPECT_EQ(data("hybrid", uneven), data("hybrid:zones=nrrp", uneven));
  const std::vector<double> even(20, 0.05);
  EXPECT_LE(data("hybrid", even), data("hybrid:zones=nrrp", even));
  EXPECT_LE(data("hybrid", even), data("hybrid:zones=columns", even));
}

TEST(StaticStart, RefusesWhatMakesNoSense) {
  for (const auto* text : {"hybrid:error=1", "hybrid:error=-0.1", "hybrid:assumed=2",
                           "hybrid:share=1.1", "hybrid:share=some"}) {
    EXPECT_THROW((void)start_of(text), InvalidInput) << text;
  }
  const auto misfit = [](const std::string& text, const Workload& workload) {
    return StaticStart::misfit(Spec::parse(text, "strategy"), workload);
  };
  EXPECT_EQ(misfit("hybrid:zones=cuboids", Workload::outer(4, 4)),
            "zones must be auto or columns or nrrp on 'outer:n=4', not 'cuboids'");
  EXPECT_EQ(misfit("hybrid:zones=nrrp", Workload::matrix(4, 4, 4)),
            "zones must be auto or cuboids on 'matrix:n=4', not 'nrrp'");
  EXPECT_EQ(misfit("hybrid:zones=cuboids", Workload::matrix(4, 4, 4)), "");
}

/// Every task of every shape, once, in the order of the grid; an L too.
TEST(TaskLines, AreTheTasksOfTheirZone) {
  const auto outer = Workload::outer(6, 7);
  const auto matrix = Workload::matrix(3, 4, 5);
  Zone corner(Rectangle{1, 6, 2, 7});
  corner.hole_row = 3;
  corner.hole_column = 4;
  const TaskLines lines(outer, corner);
  // Rows 1 and 2 of five tasks, rows 3 to 5 of two.
  ASSERT_EQ(lines.lines(), 5U);
  EXPECT_EQ(lines.tasks(), 16U);
  EXPECT_EQ(lines.line(1).first, outer.task(2, 2));
  EXPECT_EQ(lines.line(1).tasks, 5U);
  EXPECT_EQ(lines.line(4).first, outer.task(5, 2));
  EXPECT_EQ(lines.line(4).tasks, 2U);

  const TaskLines box(matrix, Cuboid{{1, 1, 2}, {3, 4, 5}});
  ASSERT_EQ(box.lines(), 6U);
  EXPECT_EQ(box.tasks(), 18U);
  EXPECT_EQ(box.line(4).first, matrix.task(2, 2, 2));
  EXPECT_EQ(box.line(4).tasks, 3U);
  EXPECT_EQ(TaskLines(matrix, Cuboid{}).lines(), 0U);
  EXPECT_EQ(TaskLines(outer, Zone{}).lines(), 0U);
}

}  // namespace
}  // namespace damocles::static_start_test
