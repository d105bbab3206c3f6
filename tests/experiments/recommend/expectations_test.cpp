// What predictions leave out of a race, held to races of all strategies.

#include "experiments/recommend/expectations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "experiments/recommend/recommendation.hpp"
#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"

namespace damocles::expectations_test {
namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point no_limit = Clock::now() + std::chrono::hours(24);
constexpr std::chrono::hours long_enough{24};

Experiment experiment_on(const std::string& workload, const std::string& platform,
                         const std::string& strategies) {
  const Workload parsed = Workload::parse(workload);
  const Scenario scenario = Scenario::parse(platform).for_tasks_of(parsed);
  return {.workload = parsed,
          .scenario = scenario,
          .strategies = choose_strategies(strategies, parsed, scenario.machine())};
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(Expectations, LeaveOutWhoIsFarBehind) {
  // Beyond the memory of one input matrix, eager loads a whole row for each task.
  const Experiment one = experiment_on("gemm2d:n=60", "gpus:k=1,memory=30data,bandwidth=4GB/s",
                                       "eager,dmdar,dmdar:window=9");
  const Expectations expected = expectations(one, Goal::time, no_limit);

  ASSERT_EQ(expected.losers.size(), 1U);
  EXPECT_EQ(expected.losers[0].strategy, "eager");
  EXPECT_EQ(expected.racing, (std::vector<std::string>{"dmdar", "dmdar:window=9"}));
}

TEST(Expectations, PutTheBestPredictedFirst) {
  const Experiment one =
      experiment_on("gemm2d:n=60", "gpus:k=1,memory=30data", "dmdar:window=9,eager,random,darts");
  const Expectations expected = expectations(one, Goal::bytes, no_limit);

  ASSERT_FALSE(expected.racing.empty());
  EXPECT_EQ(expected.racing.front(), "darts");
  EXPECT_TRUE(contains(expected.racing, "dmdar:window=9"));  // no model: it races
}

TEST(Expectations, SayNothingWhereNoModelDoes) {
  for (const auto& [workload, platform] :
       {std::pair{"cholesky:n=8,deps=true,updates=commute", "gpus:k=2,memory=100MB"},
        std::pair{"outer:n=20", "homogeneous:p=4"}}) {
    const Experiment one = experiment_on(workload, platform, "all");
    const Expectations expected = expectations(one, Goal::bytes, no_limit);

    EXPECT_TRUE(expected.losers.empty()) << workload;
    EXPECT_EQ(expected.racing, one.strategies) << workload;
  }
}

/// Where the bus is slow, heft takes nearly twice as long as etf there.
TEST(Expectations, LeaveOutAStaticScheduleThatIsFarBehind) {
  const Experiment one =
      experiment_on("starpu-lu:n=15", "gpus:k=2,memory=100MB,bandwidth=4GB/s", "heft,etf,dmdas");
  const Expectations expected = expectations(one, Goal::time, no_limit);

  ASSERT_EQ(expected.losers.size(), 1U);
  EXPECT_EQ(expected.losers[0].strategy, "heft");
  EXPECT_EQ(expected.racing, (std::vector<std::string>{"etf", "dmdas"}));
}

TEST(Expectations, AreNotAskedForEnergy) {
  const Experiment one =
      experiment_on("gemm2d:n=60", "gpus:k=1,memory=30data,power=300W", "eager,dmdar");

  EXPECT_TRUE(expectations(one, Goal::energy, no_limit).losers.empty());
}

TEST(Expectations, EndWhenTimeIsUp) {
  const Experiment one = experiment_on("gemm2d:n=60", "gpus:k=1,memory=30data", "eager,dmdar");
  const Expectations expected = expectations(one, Goal::time, Clock::now());

  EXPECT_TRUE(expected.losers.empty());
  EXPECT_EQ(expected.racing, one.strategies);
}

/// On random settings the answer is as good as where all strategies are simulated, and whoever is
/// left out is far behind in simulation too.
TEST(Expectations, LeaveOutNobodyWhoMayWin) {
  Rng rng(31, Draw::test, 0);
  const auto drawn = [&](std::uint64_t least, std::uint64_t most) {
    return least + rng.below(most - least + 1);
  };
  std::size_t left_out = 0;
  for (int setting = 0; setting < 60; ++setting) {
    const std::uint64_t n = drawn(20, 40);
    const std::string workload = fmt::format("gemm2d:n={},m={}", n, drawn(20, 40));
    const std::string platform = fmt::format("gpus:k={},memory={}data,bandwidth={}GB/s",
                                             1U << drawn(0, 2), drawn(8, 50), drawn(2, 16));
    const Goal goal = drawn(0, 1) == 0 ? Goal::time : Goal::bytes;
    const Experiment one = experiment_on(workload, platform, "");
    const Advice all =
        advise(one, goal, {.within = long_enough, .predicting = false, .doubting = false});
    for (const Expected& loser : expectations(one, goal, no_limit).losers) {
      ++left_out;
      const auto simulated =
          std::find_if(all.race.runners.begin(), all.race.runners.end(),
                       [&](const Runner& runner) { return runner.strategy == loser.strategy; });
      ASSERT_NE(simulated, all.race.runners.end());
      EXPECT_GT(simulated->mean, race_far_behind * all.race.best().mean)
          << loser.strategy << " on " << workload << ", " << platform;
    }
  }
  EXPECT_GT(left_out, 60U);
}

}  // namespace
}  // namespace damocles::expectations_test
