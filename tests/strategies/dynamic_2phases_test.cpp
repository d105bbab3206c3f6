#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "tests/statistics.hpp"
#include "tests/strategies/driver.hpp"

namespace damocles::dynamic_2phases_test {
namespace {

Trace run(const Workload& workload, const std::string& platform, const std::string& choice,
          std::uint64_t seed, std::uint64_t replicate = 0) {
  return simulate(workload, Scenario::parse(platform).draw(seed, replicate),
                  StrategyChoice::parse(choice, workload), seed, replicate);
}

/// Number of tasks in each grant of one processor that works alone.
std::vector<std::size_t> grants(const Workload& workload, const std::string& choice) {
  Driver driver(workload, 1, choice, 1);
  std::vector<std::size_t> sizes;
  for (auto answer = driver.ask(0); !answer.tasks.empty(); answer = driver.ask(0)) {
    sizes.push_back(answer.tasks.size());
  }
  return sizes;
}

using Sizes = std::vector<std::size_t>;

// Alone on 3 x 3, phase 1 grants 1, 3 and 5 tasks and leaves 9, 8, 5 and 0 open.
TEST(DynamicTwoPhases, SwitchesWhenNoMoreThanTheTasksLeftAreOpen) {
  const auto workload = Workload::outer(3, 3);
  EXPECT_EQ(grants(workload, "dynamic-2phases:tasks-left=0"), (Sizes{1, 3, 5}));
  EXPECT_EQ(grants(workload, "dynamic-2phases:tasks-left=4"), (Sizes{1, 3, 5}));
  EXPECT_EQ(grants(workload, "dynamic-2phases:tasks-left=5"), (Sizes{1, 3, 1, 1, 1, 1, 1}));
  EXPECT_EQ(grants(workload, "dynamic-2phases:tasks-left=7"), (Sizes{1, 3, 1, 1, 1, 1, 1}));
  EXPECT_EQ(grants(workload, "dynamic-2phases:tasks-left=8"), (Sizes{1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(grants(workload, "dynamic-2phases:tasks-left=9"), Sizes(9, 1));
}

// exp(-beta) 9 is 5.46 at beta = 0.5, 4.05 at 0.8 and below 1 at 3.
TEST(DynamicTwoPhases, SwitchesAtTheShareExpMinusBeta) {
  const auto workload = Workload::outer(3, 3);
  EXPECT_EQ(grants(workload, "dynamic-2phases:beta=0"), Sizes(9, 1));
  EXPECT_EQ(grants(workload, "dynamic-2phases:beta=0.5"), (Sizes{1, 3, 1, 1, 1, 1, 1}));
  EXPECT_EQ(grants(workload, "dynamic-2phases:beta=0.8"), (Sizes{1, 3, 5}));
  EXPECT_EQ(grants(workload, "dynamic-2phases:beta=3"), (Sizes{1, 3, 5}));
}

// Alone on 3 x 3: 2 + 2 blocks in phase 1 for the 2 x 2 square; of the 5 tasks left, the first
// needs a_2 or b_2 or both, and no later one needs more than the other.
TEST(DynamicTwoPhases, KeepsInPhase2WhatWasSentInPhase1) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    Driver driver(Workload::outer(3, 3), 1, "dynamic-2phases:tasks-left=5", seed);
    driver.ask(0);
    driver.ask(0);
    std::size_t loads = 0;
    for (int i = 0; i < 5; ++i) loads += driver.ask(0).loads.size();
    EXPECT_EQ(loads, 2U);
  }
}

TEST(DynamicTwoPhases, IsDynamicWhereNoTaskIsLeftToPhase2) {
  for (const auto* text : {"outer:n=7", "outer:m=5,n=130", "matrix:n=5", "matrix:m=2,n=3,k=70"}) {
    const auto workload = Workload::parse(text);
    for (const auto* platform : {"homogeneous:p=5", "uniform:p=6,lo=10,hi=100", "dyn.20:p=3"}) {
      for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        EXPECT_EQ(run(workload, platform, "dynamic-2phases:tasks-left=0", seed),
                  run(workload, platform, "dynamic", seed))
            << text << " " << platform << " seed " << seed;
      }
    }
  }
}

// All tasks in phase 2: the order in which tasks enter the pool differs from `random`, so single
// runs do, but their distribution is the same.
TEST(DynamicTwoPhases, IsRandomWhereAllTasksAreLeftToPhase2) {
  for (const auto* text : {"outer:n=70", "matrix:m=4,n=5,k=66"}) {
    const auto workload = Workload::parse(text);
    std::vector<double> two_phases;
    std::vector<double> random;

    for (std::uint64_t replicate = 0; replicate < 200; ++replicate) {
      const auto loads = [&](const char* choice, std::uint64_t seed) {
        const auto trace = run(workload, "homogeneous:p=20", choice, seed, replicate);
        return static_cast<double>(trace.total_loads());
      };
      two_phases.push_back(loads("dynamic-2phases:beta=0", 1));
      random.push_back(loads("random", 2));
    }

    const auto left = mean_of(two_phases);
    const auto right = mean_of(random);
    // Five standard errors of a difference of means; seeds are fixed.
    EXPECT_NEAR(left.value, right.value, 5 * std::sqrt(left.variance + right.variance)) << text;
    // The variances agree too: their ratio follows F(199, 199), beyond 2 once in a million.
    EXPECT_LT(left.variance / right.variance, 2);
    EXPECT_GT(left.variance / right.variance, 0.5);
  }
}

}  // namespace
}  // namespace damocles::dynamic_2phases_test
