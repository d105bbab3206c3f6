// CPOP and PEFT on the examples of their papers, and by hand.

#include "orders/rank_schedules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/orders/planned_examples.hpp"

namespace damocles::rank_schedules_test {
namespace {

using Index = PlannedGraph::Index;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Table 1 of the paper, rounded to three digits there.
TEST(Ranks, AreThoseOfTopcuoglu) {
  const PlannedGraph graph = topcuoglu().graph();
  const std::vector<double> upward{108, 77, 80, 80, 69, 63.333, 42.667, 35.667, 44.333, 14.667};
  const std::vector<double> downward{0, 31, 25, 22, 24, 27, 62.333, 66.667, 63.667, 93.333};

  for (Index task = 0; task < 10; ++task) {
    EXPECT_NEAR(upward_ranks(graph)[task], upward[task], 5e-4);
    EXPECT_NEAR(downward_ranks(graph)[task], downward[task], 5e-4);
  }
}

TEST(CpopSchedule, GivesThePapersExampleItsMakespan) {
  const auto placed = cpop_schedule(topcuoglu().graph());

  EXPECT_EQ(makespan_s(placed), 86);
  // The longest way n1, n2, n9, n10 takes 54 on P2, 66 on P1 and 63 on P3.
  for (const Index task : {0U, 1U, 8U, 9U}) EXPECT_EQ(raw(placed[task].processor), 1U) << task;
}

TEST(Ranks, AreOfTheProcessorsThatRunTheTask) {
  const PlannedExample example{{{2, infinite, 4}}};

  EXPECT_EQ(example.graph().mean_s(0), 3);
}

/// Both ways take as long; that over T1 is quicker on processor 0, that over T2 on processor 1.
TEST(CpopSchedule, TakesTheWayOfTheLowerTasks) {
  const PlannedExample example{{{2, 2}, {3, 5}, {5, 3}}, {{{0, 1}, 0}, {{0, 2}, 0}}};

  const auto placed = cpop_schedule(example.graph());

  EXPECT_EQ(raw(placed[0].processor), 0U);
  EXPECT_EQ(raw(placed[1].processor), 0U);
  EXPECT_EQ(raw(placed[2].processor), 1U);
}

/// T0 before T1 and T2: upward 2 + 3 = 5, 3, 1. The way T0, T1; T2 is beside it.
TEST(CpopSchedule, GivesAWayThatNoProcessorRunsToTheOneThatRunsMost) {
  PlannedExample example{{{2, infinite, 2}, {3, 3, infinite}, {infinite, 1, 1}, {4, 4, infinite}},
                         {{{0, 1}, 0}, {{0, 2}, 0}, {{1, 3}, 0}}};
  // The way T0, T1, T3: all of it on processor 0.
  auto placed = cpop_schedule(example.graph());
  EXPECT_EQ(placed[3].end_s, 9);
  for (const Index task : {0U, 1U, 3U}) EXPECT_EQ(raw(placed[task].processor), 0U);

  // Now nobody runs all: two of it on processor 0 for 7, on processor 1 for 7; the lower.
  example.durations[0] = {infinite, infinite, 2};
  placed = cpop_schedule(example.graph());
  EXPECT_EQ(raw(placed[0].processor), 2U);
  for (const Index task : {1U, 3U}) EXPECT_EQ(raw(placed[task].processor), 0U);

  // For 6 on processor 1.
  example.durations[1][1] = 2;
  placed = cpop_schedule(example.graph());
  EXPECT_EQ(raw(placed[0].processor), 2U);
  for (const Index task : {1U, 3U}) EXPECT_EQ(raw(placed[task].processor), 1U);
}

/// The mean optimistic costs of the paper's table 2, rounded there.
TEST(PeftSchedule, GivesThePapersExampleItsMakespan) {
  const PlannedGraph graph = arabnejad().graph();
  const std::vector<double> means{72.7, 41, 37, 43.7, 31, 41.7, 17, 20.7, 16.3, 0};

  const auto costs = optimistic_costs(graph);

  for (Index task = 0; task < 10; ++task) {
    const double mean = (costs[3 * task] + costs[3 * task + 1] + costs[3 * task + 2]) / 3;
    EXPECT_NEAR(mean, means[task], 0.05) << task;
  }
  EXPECT_EQ(makespan_s(peft_schedule(graph)), 122);
}

/// T0 is quicker on processor 0, T1 behind it on 1 alone, and passing takes 3.
TEST(PeftSchedule, CountsWhatIsBehindATaskByTheWayThereIs) {
  PlannedExample example{{{2, 4}, {infinite, 5}}, {{{0, 1}, 3}}};
  // 2 + 3 + 5 = 10 against 4 + 5 = 9.
  auto placed = peft_schedule(example.graph());
  EXPECT_EQ(raw(placed[0].processor), 1U);
  EXPECT_EQ(placed[1].end_s, 9);

  // A way of a third: 2 + 1 + 5 = 8.
  example.shares = {{0, 1.0 / 3}, {1.0 / 3, 0}};
  placed = peft_schedule(example.graph());
  EXPECT_EQ(raw(placed[0].processor), 0U);
  EXPECT_DOUBLE_EQ(placed[1].end_s, 8);
}

/// T1 and T2 are ready; behind T1, on processor 0 alone, are 4 there, behind T2 3 on each. The mean
/// over who runs them: 4 and 3, so T1 first; over all processors T2 would be.
TEST(PeftSchedule, TakesTheMeanOverProcessorsThatRunTheTask) {
  const PlannedExample example{
      {{1, infinite}, {1, 9}, {4, 9}, {3, 3}}, {{{0, 2}, 0}, {{1, 3}, 0}}, {{0, 1}, {1, 0}}};
  const auto placed = peft_schedule(example.graph());

  EXPECT_EQ(placed[0].start_s, 0);
  EXPECT_EQ(placed[1].start_s, 1);
}

}  // namespace
}  // namespace damocles::rank_schedules_test
