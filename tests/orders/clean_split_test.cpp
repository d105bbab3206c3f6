#include "orders/clean_split.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tests/strategies/small_graphs.hpp"

namespace damocles::clean_split_test {
namespace {

using Index = TaskGraph::Index;

/// Task (i, j) of a rows x columns grid reads data i and rows + j.
TaskGraph grid(Index rows, Index columns) {
  TaskGraph::Parts parts;
  parts.bytes.assign(rows + columns, 8);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const std::array<Index, 2> reads{i, rows + j};
      parts.add_task(reads, 1);
    }
  }
  return TaskGraph(std::move(parts));
}

TEST(CleanSplit, OfTwoEquallyGoodBandsTakesThatOfTheLastInput) {
  const auto graph = grid(10, 10);

  const auto split = clean_split(graph, {});

  EXPECT_EQ(split.cut_bytes, 8U * 10);
  EXPECT_EQ(split.excess, 0);
  for (Index task = 0; task < graph.tasks(); ++task) {
    EXPECT_EQ(split.side[task], task % 10 < 5 ? 0U : 1U) << task;  // columns
  }
}

TEST(CleanSplit, CutsTheLongSide) {
  // Half of the 12 rows each: 4 columns are cut. Half of the 4 columns each would cut 12 rows.
  EXPECT_EQ(clean_split(grid(12, 4), {}).cut_bytes, 8U * 4);
}

TEST(CleanSplit, GivesEachPartItsShare) {
  const auto split = clean_split(grid(9, 9), {.share = 1.0 / 3});

  std::size_t first = 0;
  for (const auto side : split.side) first += side == 0 ? 1 : 0;
  EXPECT_EQ(first, 27U);
  EXPECT_EQ(split.cut_bytes, 8U * 9);
}

TEST(CleanSplit, TakesWhatIsNearestToBalanceWhereNothingIsWithinIt) {
  // Three columns of three tasks: no head of one order has 4.5 of 9 tasks; 4 or 5 is nearest.
  const auto split = clean_split(grid(3, 3), {});

  std::size_t first = 0;
  for (const auto side : split.side) first += side == 0 ? 1 : 0;
  EXPECT_TRUE(first == 4 || first == 5);
  EXPECT_NEAR(split.excess, 5.0 / 9 - 1.01 / 2, 1e-12);
}

TEST(CleanSplit, JudgesItselfAsALookAtEveryDataDoes) {
  for (std::uint64_t replicate = 0; replicate < 20; ++replicate) {
    Rng rng(4, Draw::test, replicate);
    const auto graph = oracle::random_graph(rng, 80, 30, 3, 9);
    const Balance balance{.share = 0.2 + 0.6 * rng.uniform(), .imbalance = 1.05};

    const auto split = clean_split(graph, balance);
    const auto again = judged(graph, split.side, balance);

    EXPECT_EQ(split.cut_bytes, again.cut_bytes);
    EXPECT_NEAR(split.excess, again.excess, 1e-12);  // sums of 80 flops, each to 2^-53
  }
}

TEST(CleanSplit, TakesOneTaskAndTasksWithoutInputs) {
  TaskGraph::Parts one;
  one.add_task({}, 0);
  EXPECT_EQ(clean_split(TaskGraph(one), {}).side.size(), 1U);

  one.add_task({}, 0);
  const auto split = clean_split(TaskGraph(one), {});
  EXPECT_EQ(split.cut_bytes, 0U);
  EXPECT_NE(split.side[0], split.side[1]);
}

}  // namespace
}  // namespace damocles::clean_split_test
