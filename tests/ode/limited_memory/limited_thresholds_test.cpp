// Thresholds of dynamic-2phases and darts with limited memory: the search against all thresholds of
// a small grid, and the answers against simulated runs.

#include "ode/limited_memory/limited_thresholds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "ode/limited_memory/box_growth.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "sim/simulate.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

class SwitchingRun {
 public:
  SwitchingRun(const std::string& workload, const std::string& platform)
      : workload_(Workload::parse(workload)), platform_(Scenario::parse(platform).draw(1, 0)) {}

  [[nodiscard]] LimitedRun run(const std::string& eviction = "lru") const {
    return limited_run(workload_, platform_, eviction);
  }
  [[nodiscard]] double simulated_loads(const std::string& strategy) const {
    constexpr std::uint64_t runs = 12;
    const StrategyChoice choice = StrategyChoice::parse(strategy, workload_);
    double sum = 0;
    for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
      sum +=
          static_cast<double>(simulate(workload_, platform_, choice, 1, replicate).total_loads());
    }
    return sum / runs;
  }
  [[nodiscard]] double simulated_loads(double tasks_left) const {
    return simulated_loads(fmt::format("dynamic-2phases:tasks-left={}", tasks_left));
  }

 private:
  Workload workload_;
  Platform platform_;
};

TEST(SwitchPoints, AreNearTheBestOfAllThresholds) {
  for (const char* platform :
       {"gpus:k=1,memory=12data", "gpus:k=1,memory=18data", "gpus:k=2,memory=16data"}) {
    const SwitchingRun setting("gemm2d:n=12", platform);
    const SwitchPoints points = switch_points(setting.run());
    double least = points.never.loads;
    for (double left = 1; left < 144; ++left) {
      least = std::min(least, switch_point(setting.run(), left).loads);
    }
    EXPECT_LE(points.fewest_loads.loads, 1.01 * least) << platform;
  }
}

TEST(SwitchPoints, AreAscendingAndPredictedAsTheStrategyIs) {
  const SwitchingRun setting("gemm2d:n=30", "gpus:k=2,memory=40data");
  const SwitchPoints points = switch_points(setting.run());

  ASSERT_FALSE(points.looked_at.empty());
  for (std::size_t at = 1; at < points.looked_at.size(); ++at) {
    EXPECT_LT(points.looked_at[at - 1].tasks_left, points.looked_at[at].tasks_left);
  }
  LimitedRun run = setting.run();
  run.strategy =
      Spec::parse(fmt::format("dynamic-2phases:tasks-left={}", points.looked_at.front().tasks_left),
                  "strategy");
  const auto said = Table<LimitedPredictor>::named("dynamic-2phases").predict(run);
  EXPECT_EQ(said.loads, points.looked_at.front().loads);
  EXPECT_EQ(said.makespan_s, points.looked_at.front().makespan_s);
}

/// The runs up to the switch are shared, and their continuations are those of runs of their own.
TEST(PredictSwitches, SayOfEachThresholdWhatItsOwnRunsSay) {
  const std::vector<double> thresholds{0, 1, 2, 9, 20, 21, 22, 40, 70, 119, 120};
  for (const char* platform : {"gpus:k=1,memory=12data", "gpus:k=2,memory=8data,depth=4",
                               "gpus:k=3,memory=16data,link=8GB/s", "gpus:k=2,memory=22data"}) {
    const SwitchingRun setting("gemm2d:m=10,n=12", platform);
    const auto said = predict_switches(setting.run(), thresholds);
    for (std::size_t at = 0; at < thresholds.size(); ++at) {
      const SwitchPoint alone = switch_point(setting.run(), thresholds[at]);
      EXPECT_EQ(said[at].loads, alone.loads) << platform << " " << thresholds[at];
      EXPECT_EQ(said[at].makespan_s, alone.makespan_s) << platform << " " << thresholds[at];
    }
  }
}

/// Rows that one GPU should know of an n x n grid when phase 2 starts, with room for M data items:
/// where 4 a^3 = (2n - M)(n^2 + a^2), at least M / 2. Bisection.
double rows_at_the_switch(double n, double memory) {
  double low = 1;
  double high = n;
  while (high - low > 1e-9) {
    const double a = (low + high) / 2;
    (4 * a * a * a < (2 * n - memory) * (n * n + a * a) ? low : high) = a;
  }
  return std::max(low, memory / 2);
}

TEST(SwitchPoints, OfOneGpuAreNearTheFormula) {
  for (const double n : {30.0, 50.0, 80.0}) {
    for (const double share : {0.25, 0.4, 0.5, 0.6, 0.75, 0.9}) {
      const double memory = std::round(2 * n * share);
      const std::string platform = fmt::format("gpus:k=1,memory={:g}data", memory);
      const SwitchingRun setting(fmt::format("gemm2d:n={:g}", n), platform);
      const double rows = rows_at_the_switch(n, memory);
      const double left = std::max(1.0, std::round(n * n - rows * rows));
      EXPECT_LE(switch_point(setting.run(), left).loads,
                1.03 * switch_points(setting.run()).fewest_loads.loads)
          << n << " " << platform;
    }
  }
}

/// Three quarters of the data items fit: phase 1 alone loads more than twice as much.
TEST(SwitchPoints, SaveMoreThanHalfOfTheLoadsOfOneGpuInSimulation) {
  const SwitchingRun setting("gemm2d:n=50", "gpus:k=1,memory=75data");
  const SwitchPoints points = switch_points(setting.run());
  const double best = setting.simulated_loads(points.fewest_loads.tasks_left);

  EXPECT_LT(best, 0.5 * setting.simulated_loads("dynamic"));
  for (const double share : {0.1, 0.2, 0.3, 0.5, 0.6, 0.8}) {
    EXPECT_LT(best, 1.02 * setting.simulated_loads(share * 2500)) << share;
  }
}

TEST(SwitchPoints, DoNotSwitchWhereEverythingFits) {
  for (const char* platform : {"gpus:k=1,memory=60data", "gpus:k=4,memory=60data"}) {
    const SwitchPoints points = switch_points(SwitchingRun("gemm2d:n=30", platform).run());
    EXPECT_EQ(points.fewest_loads.tasks_left, 0) << platform;
  }
}

TEST(SwitchPoints, OfOneTaskAreNone) {
  const SwitchPoints points =
      switch_points(SwitchingRun("gemm2d:n=1", "gpus:k=1,memory=2data").run());

  EXPECT_TRUE(points.looked_at.empty());
  EXPECT_EQ(points.never.loads, 2);
}

TEST(NearlyFewestLoads, HoldsTheBestAndWhatIsNextToIt) {
  SwitchPoints points;
  for (const double left : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    points.looked_at.push_back({.tasks_left = left, .loads = 100 + (left - 3) * (left - 3)});
  }
  points.fewest_loads = points.looked_at[2];

  const SwitchRange one_percent = nearly_fewest_loads(points, 0.01);
  EXPECT_EQ(one_percent.fewest_tasks_left, 2);
  EXPECT_EQ(one_percent.most_tasks_left, 4);
  const SwitchRange all = nearly_fewest_loads(points, 0.1);
  EXPECT_EQ(all.fewest_tasks_left, 1);
  EXPECT_EQ(all.most_tasks_left, 5);
}

TEST(RankingThresholds, EndWithTheFirstThatLoadsMore) {
  const SwitchingRun setting("gemm2d:n=40", "gpus:k=2,memory=30data");
  const auto ranked = ranking_thresholds(setting.run("luf"), 0.05);

  ASSERT_GT(ranked.size(), 1U);
  EXPECT_EQ(ranked.front().threshold, 80U);
  EXPECT_EQ(ranked[1].threshold, 64U);
  for (std::size_t at = 1; at + 1 < ranked.size(); ++at) {
    EXPECT_LE(ranked[at].loads, 1.05 * ranked.front().loads);
  }
  const auto& last = ranked.back();
  EXPECT_TRUE(last.threshold == 1 || last.loads > 1.05 * ranked.front().loads);
  EXPECT_NEAR(setting.simulated_loads(fmt::format("darts:threshold={}", last.threshold)),
              last.loads, 0.1 * last.loads);
}

}  // namespace
}  // namespace damocles
