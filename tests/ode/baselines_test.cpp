#include "ode/baselines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sim/simulate.hpp"
#include "tests/ode/shares.hpp"

namespace damocles {
namespace {

/// Mean loads of `runs` simulated runs, and their standard deviation.
std::pair<double, double> simulated(const Workload& workload, const Platform& platform,
                                    const char* strategy, std::uint64_t runs) {
  const auto choice = StrategyChoice::parse(strategy, workload);
  double sum = 0;
  double squares = 0;
  for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
    const auto trace = simulate(workload, platform, choice, 1, replicate);
    const auto loads = static_cast<double>(trace.total_loads());
    sum += loads;
    squares += loads * loads;
  }
  const auto count = static_cast<double>(runs);
  return {sum / count, std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1))};
}

/// Two processors of shares 1/4 and 3/4: a_i of 3 tasks, b_j of 2 on 2 x 3.
///   2 (1 - (3/4)^3) + 3 (1 - (3/4)^2) + 2 (1 - (1/4)^3) + 3 (1 - (1/4)^2)
///   = 74/64 + 21/16 + 126/64 + 45/16 = 200/64 + 66/16 = 7.25
TEST(PredictRandom, IsTheOccupancyByHand) {
  const Problem problem(Workload::outer(2, 3), std::vector<double>{0.25, 0.75});
  EXPECT_NEAR(predict_random(problem).loads, 7.25,
              20 * std::numeric_limits<double>::epsilon() * 7.25);
}

TEST(PredictRandom, LoadsAllDataOnceOnOneProcessor) {
  EXPECT_EQ(predict_random({Workload::outer(7, 5), equal_shares(1)}).loads, 12);
  EXPECT_EQ(predict_random({Workload::matrix(2, 3, 5), equal_shares(1)}).loads, 31);
}

TEST(PredictRandom, AgreesWithTheMeanOfManyRuns) {
  for (const auto& workload : {Workload::outer(100, 100), Workload::outer(40, 160),
                               Workload::matrix(20, 20, 20), Workload::matrix(10, 20, 30)}) {
    for (const auto* platform_text : {"homogeneous:p=30", "uniform:p=30,lo=10,hi=100"}) {
      const auto platform = Scenario::parse(platform_text).draw(1, 0);
      const auto [mean, sd] = simulated(workload, platform, "random", 50);
      const auto prediction = predict_random({workload, platform.relative_speeds()});

      // A processor holds within one task of its share, at most 2 or 3 loads of hundreds, and the
      // trials are not quite independent: 0.5 %.
      EXPECT_NEAR(prediction.loads / mean, 1, 0.005) << workload.text() << " " << platform_text;
      // The spread of 50 runs is known to 10 %: four of those.
      EXPECT_NEAR(*prediction.sd_loads / sd, 1, 0.4) << workload.text() << " " << platform_text;
    }
  }
}

/// 20 equal processors, 100 x 100: each computes every 20th position, so all 100 rows and
/// 100/gcd(100, 20) = 5 columns. The start order is drawn, so the first position is another one,
/// and its column one more, for 19 processors of 20.
TEST(PredictSorted, CountsResiduesAtEqualSpeeds) {
  const Problem problem(Workload::outer(100, 100), equal_shares(20));
  EXPECT_NEAR(predict_sorted(problem).loads, 20 * (100 + 5) + 19, 1e-9);
}

TEST(PredictSorted, AgreesWithRuns) {
  for (const auto& workload : {Workload::outer(100, 100), Workload::outer(99, 101),
                               Workload::matrix(20, 20, 20), Workload::matrix(10, 21, 30)}) {
    for (const auto* platform_text : {"homogeneous:p=30", "uniform:p=30,lo=10,hi=100"}) {
      const auto platform = Scenario::parse(platform_text).draw(1, 0);
      const auto [mean, sd] = simulated(workload, platform, "sorted", 10);
      const auto prediction = predict_sorted({workload, platform.relative_speeds()});

      EXPECT_NEAR(prediction.loads / mean, 1, 0.03) << workload.text() << " " << platform_text;
    }
  }
}

}  // namespace
}  // namespace damocles
