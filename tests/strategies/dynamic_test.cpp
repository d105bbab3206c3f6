#include <gtest/gtest.h>

#include "tests/strategies/driver.hpp"

namespace damocles::dynamic_test {
namespace {

using Sizes = std::vector<std::pair<std::size_t, std::size_t>>;

/// Numbers of loads and tasks of one processor's grants until nothing is left.
Sizes alone(const Workload& workload, std::uint64_t seed) {
  Driver driver(workload, 1, "dynamic", seed);
  Sizes sizes;
  for (auto answer = driver.ask(0); !answer.loads.empty() || !answer.tasks.empty();
       answer = driver.ask(0)) {
    sizes.emplace_back(answer.loads.size(), answer.tasks.size());
  }
  return sizes;
}

// With x indices of each vector known, a step sends 1 + 1 blocks and completes (x + 1)^2 - x^2
// tasks, whatever indices are drawn.
TEST(DynamicOuter, GrowsASquareAlone) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_EQ(alone(Workload::outer(2, 2), seed), (Sizes{{2, 1}, {2, 3}}));
    EXPECT_EQ(alone(Workload::outer(3, 3), seed), (Sizes{{2, 1}, {2, 3}, {2, 5}}));
  }
}

// 2 x 4: after two steps both rows are known, and a new column completes two tasks with one block.
TEST(DynamicOuter, GrowsTheLongSideWhereTheShortOneIsFull) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_EQ(alone(Workload::outer(2, 4), seed), (Sizes{{2, 1}, {2, 3}, {1, 2}, {1, 2}}));
    EXPECT_EQ(alone(Workload::outer(4, 2), seed), (Sizes{{2, 1}, {2, 3}, {1, 2}, {1, 2}}));
  }
}

// A step from x to x + 1 sends 3 ((x + 1)^2 - x^2) blocks and completes (x + 1)^3 - x^3 tasks.
TEST(DynamicMatrix, GrowsACubeAlone) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_EQ(alone(Workload::matrix(2, 2, 2), seed), (Sizes{{3, 1}, {9, 7}}));
    EXPECT_EQ(alone(Workload::matrix(3, 3, 3), seed), (Sizes{{3, 1}, {9, 7}, {15, 19}}));
  }
}

// 1 x 2 x 3 (i, j, l). Step 1: 1 x 1 x 1. Step 2: 1 x 2 x 2, so A has 2 blocks (1 new), B 4 (3),
// C 2 (1), and 3 new tasks. Step 3: 1 x 2 x 3, A 3 (1), B 6 (2), C 2 (0), and 2 new tasks.
TEST(DynamicMatrix, GrowsTheLongSidesWhereTheShortOnesAreFull) {
  EXPECT_EQ(alone(Workload::matrix(1, 2, 3), 1), (Sizes{{3, 1}, {5, 3}, {3, 2}}));
}

/// Two processors, 2 x 2, seed 1. The leading bits of its strategy stream are 0 1 1 0 1 1 1 0 ...,
/// and below(2) is the leading bit. A set learns its first index by below(2), the second, the only
/// one left, by below(1), which draws a number too.
///
///   P0: i = 0, j = 1. Sent a_0, b_1 (data 0 and 3), granted (0, 1) = task 1.
///   P1: i = 1, j = 0. Sent a_1, b_0 (1 and 2), granted (1, 0) = task 2.
///   P1: i = 0, j = 1 are left. Sent a_0, b_1, and of the tasks that completes, (0, 1) is P0's:
///       granted (0, 0) and (1, 1).
///   P0: nothing is open. Nothing.
TEST(DynamicOuter, LeavesToAProcessorWhatOthersHaveNot) {
  using Answer = Driver::Answer;
  Driver driver(Workload::outer(2, 2), 2, "dynamic", 1);

  EXPECT_EQ(driver.ask(0), (Answer{{0, 3}, {1}}));
  EXPECT_EQ(driver.ask(1), (Answer{{1, 2}, {2}}));
  EXPECT_EQ(driver.ask(1), (Answer{{0, 3}, {0, 3}}));
  EXPECT_EQ(driver.ask(0), Answer{});
}

/// The same with seed 2, whose bits are 0 0 1 0 0 0 1 0.
///
///   P0: i = 0, j = 0: granted task 0.
///   P1: i = 1, j = 0: sent a_1, b_0, granted (1, 0) = task 2.
///   P0: the others (bits 0 0 are drawn for below(1) and do not matter): a_1, b_1; (1, 0) is P1's,
///       so (0, 1) and (1, 1) are granted.
TEST(DynamicOuter, ClaimsRowAndColumnOfTheNewIndices) {
  using Answer = Driver::Answer;
  Driver driver(Workload::outer(2, 2), 2, "dynamic", 2);

  EXPECT_EQ(driver.ask(0), (Answer{{0, 2}, {0}}));
  EXPECT_EQ(driver.ask(1), (Answer{{1, 2}, {2}}));
  EXPECT_EQ(driver.ask(0), (Answer{{1, 3}, {1, 3}}));
}

/// 2 x 2 x 1: K has one index, so below(1) takes each third bit of the first two requests.
/// Seed 5: 1 1 (0) 1 0 (0). A is 2 x 1 (data 0, 1), B 1 x 2 (2, 3), C 2 x 2 (4 to 7).
///
///   P0: i = 1, j = 1, l = 0: A_10 = 1, B_01 = 3, C_11 = 7; task (1, 1, 0) = 3.
///   P1: i = 1, j = 0, l = 0: A_10 = 1, B_00 = 2, C_10 = 6; task (1, 0, 0) = 2.
///   P0: i = 0, j = 0: A_00 = 0, B_00 = 2, C_00, C_01, C_10 = 4, 5, 6; (1, 0, 0) is P1's, so tasks
///   0
///       and 1.
TEST(DynamicMatrix, SendsTheSpanOfTheNewIndices) {
  using Answer = Driver::Answer;
  Driver driver(Workload::matrix(2, 2, 1), 2, "dynamic", 5);

  EXPECT_EQ(driver.ask(0), (Answer{{1, 3, 7}, {3}}));
  EXPECT_EQ(driver.ask(1), (Answer{{1, 2, 6}, {2}}));
  EXPECT_EQ(driver.ask(0), (Answer{{0, 2, 4, 5, 6}, {0, 1}}));
  EXPECT_EQ(driver.ask(1), Answer{});
}

}  // namespace
}  // namespace damocles::dynamic_test
