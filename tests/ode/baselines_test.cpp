#include "ode/baselines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "ode/request_order.hpp"
#include "sim/simulate.hpp"
#include "tests/statistics.hpp"

namespace damocles::baselines_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

std::vector<double> simulated_loads(const Workload& workload, const Platform& platform,
                                    const char* strategy, std::uint64_t seed, std::uint64_t runs) {
  const auto choice = StrategyChoice::parse(strategy, workload);
  std::vector<double> loads;
  for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
    loads.push_back(
        static_cast<double>(simulate(workload, platform, choice, seed, replicate).total_loads()));
  }
  return loads;
}

/// Loads of one processor that runs these tasks.
std::size_t loads_of(const Workload& workload, const std::vector<std::uint64_t>& tasks) {
  std::set<std::uint64_t> data;
  for (const auto task : tasks) {
    workload.for_each_input(TaskId{task}, [&](DataId input) { data.insert(raw(input)); });
  }
  return data.size();
}

/// 2 x 3 tasks on two processors, one three times as fast: it asks at 0, 1/3, 2/3, 1 and computes 4
/// of the 6 tasks, the other 2. Of 6 tasks, 2 miss a given row of 3 with chance C(3,2)/C(6,2) =
/// 3/15 and a column of 2 with C(4,2)/15 = 6/15; 4 never miss a row, and a column with C(4,4)/15 =
/// 1/15.
///   2 (1 - 3/15) + 3 (1 - 6/15) + 2 + 3 (1 - 1/15) = 1.6 + 1.8 + 2 + 2.8 = 8.2
TEST(PredictRandom, IsTheHypergeometricOccupancyByHand) {
  const auto prediction = predict_random(Workload::outer(2, 3), std::vector<double>{1, 3});
  EXPECT_NEAR(prediction.loads, 8.2, 20 * eps * 8.2);
}

/// The mean over all ways to deal 8 or 12 tasks, enumerated.
TEST(PredictRandom, IsTheMeanOverAllDeals) {
  for (const auto& workload : {Workload::outer(3, 4), Workload::matrix(2, 2, 2)}) {
    const std::vector<double> speeds{2, 3, 2.5};
    const std::uint64_t T = workload.tasks();
    double expected = 0;
    for (const std::uint64_t share : RequestOrder::tasks_of(speeds, T)) {
      std::vector<bool> mine(T, false);
      std::fill(mine.end() - static_cast<std::ptrdiff_t>(share), mine.end(), true);
      double sum = 0;
      double deals = 0;
      do {
        std::vector<std::uint64_t> tasks;
        for (std::uint64_t task = 0; task < T; ++task) {
          if (mine[task]) tasks.push_back(task);
        }
        sum += static_cast<double>(loads_of(workload, tasks));
        deals += 1;
      } while (std::next_permutation(mine.begin(), mine.end()));
      expected += sum / deals;
    }
    EXPECT_NEAR(predict_random(workload, speeds).loads, expected, 100 * eps * expected);
  }
}

TEST(PredictRandom, LoadsAllDataOnceOnOneProcessor) {
  const std::vector<double> one{7};
  EXPECT_EQ(predict_random(Workload::outer(7, 5), one).loads, 12);
  EXPECT_EQ(predict_random(Workload::matrix(2, 3, 5), one).loads, 31);
  EXPECT_EQ(predict_random(Workload::matrix(2, 3, 5), one).sd_loads, 0);
}

TEST(PredictRandom, LoadsTheDataOfOneTaskWhereTasksAreFewerThanProcessors) {
  EXPECT_EQ(predict_random(Workload::outer(2, 3), std::vector<double>(10, 1)).loads, 12);
  EXPECT_EQ(predict_sorted(Workload::outer(2, 3), std::vector<double>(10, 1)).loads, 12);
}

/// From five to a thousand tasks a processor; the mean is exact, so nothing but the runs' own
/// noise is left: 5 of its standard errors (1e-6 a case). The spread of 200 runs is known to 5 %, 5
/// of which are 25 %, and the band is that of many tasks.
TEST(PredictRandom, AgreesWithTheMeanOfManyRuns) {
  for (const auto& workload : {Workload::outer(23, 23), Workload::outer(40, 160),
                               Workload::matrix(11, 11, 11), Workload::matrix(10, 20, 30)}) {
    for (const auto* platform_text :
         {"homogeneous:p=104", "uniform:p=6,lo=1,hi=100", "set.5:p=30"}) {
      const auto platform = Scenario::parse(platform_text).draw(8, 0);
      const auto [mean, variance] = mean_of(simulated_loads(workload, platform, "random", 8, 200));
      const auto prediction = predict_random(workload, platform.speeds);

      EXPECT_NEAR(prediction.loads, mean, 5 * std::sqrt(variance))
          << workload.text() << " " << platform_text;
      EXPECT_NEAR(*prediction.sd_loads / std::sqrt(200 * variance), 1, 0.25)
          << workload.text() << " " << platform_text;
    }
  }
}

/// 20 equal processors, 100 x 100: each computes every 20th position, so all 100 rows and
/// 100/gcd(100, 20) = 5 columns. The start order is drawn, so the first position is another one,
/// and its column one more, for 19 processors of 20.
TEST(PredictSorted, CountsResiduesAtEqualSpeeds) {
  const auto prediction = predict_sorted(Workload::outer(100, 100), std::vector<double>(20, 1));
  EXPECT_NEAR(prediction.loads, 20 * (100 + 5) + 19, 1e-9);
}

/// Every start order of four processors, enumerated: mean and standard deviation to rounding.
TEST(PredictSorted, IsTheMeanAndTheSpreadOverAllStartOrders) {
  const std::vector<double> speeds{40, 100, 80, 100};
  for (const auto& workload : {Workload::outer(3, 5), Workload::matrix(3, 2, 4)}) {
    std::vector<std::vector<std::uint64_t>> later(speeds.size());
    RequestOrder turns(speeds);
    for (std::uint64_t task = speeds.size(); task < workload.tasks(); ++task) {
      later[raw(turns.next())].push_back(task);
    }
    std::vector<std::uint64_t> first(speeds.size());
    std::iota(first.begin(), first.end(), 0);
    double sum = 0;
    double squares = 0;
    double orders = 0;
    do {
      double loads = 0;
      for (std::size_t k = 0; k < speeds.size(); ++k) {
        auto tasks = later[k];
        tasks.push_back(first[k]);
        loads += static_cast<double>(loads_of(workload, tasks));
      }
      sum += loads;
      squares += loads * loads;
      orders += 1;
    } while (std::next_permutation(first.begin(), first.end()));

    const auto prediction = predict_sorted(workload, speeds);
    const double mean = sum / orders;
    EXPECT_NEAR(prediction.loads, mean, 100 * eps * mean);
    // A root of a difference of squares: sqrt(eps) of the mean.
    EXPECT_NEAR(*prediction.sd_loads, std::sqrt(squares / orders - mean * mean),
                10 * std::sqrt(eps) * mean);
  }
}

/// Speeds in classes resonate (matrix n = 24 on five of set.5 was 63 % off when it was taken for
/// independent trials); nothing is left but the start order's noise, and one load for rounding.
TEST(PredictSorted, AgreesWithRuns) {
  for (const auto& workload :
       {Workload::outer(99, 101), Workload::matrix(24, 24, 24), Workload::matrix(10, 21, 30)}) {
    for (const auto* platform_text :
         {"homogeneous:p=30", "uniform:p=30,lo=10,hi=100", "set.5:p=5", "set.3:p=12"}) {
      const auto platform = Scenario::parse(platform_text).draw(9, 0);
      const auto [mean, variance] = mean_of(simulated_loads(workload, platform, "sorted", 9, 50));
      const auto prediction = predict_sorted(workload, platform.speeds);

      EXPECT_NEAR(prediction.loads, mean, 5 * std::sqrt(variance) + 1)
          << workload.text() << " " << platform_text;
    }
  }
}

/// Above the limit it is an approximation, good to a few per cent for drawn speeds, and has no
/// band.
TEST(PredictSorted, IsApproximatedWhereCountingTakesLong) {
  const auto workload = Workload::outer(20'000, 20'000);
  const auto prediction = predict_sorted(workload, std::vector<double>{3, 4, 5, 6});
  EXPECT_FALSE(prediction.sd_loads);
  EXPECT_NEAR(prediction.loads, 4 * 40'000, 1e-6);  // all of them, at 1e8 tasks each
}

}  // namespace
}  // namespace damocles::baselines_test
