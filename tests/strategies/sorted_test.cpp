#include <gtest/gtest.h>

#include "tests/strategies/driver.hpp"

namespace damocles::sorted_test {
namespace {

TEST(Sorted, GrantsTasksInLexicographicOrderToWhoeverAsks) {
  using Answer = Driver::Answer;
  Driver driver(Workload::outer(2, 2), 2, "sorted", 1);  // a_0, a_1, b_0, b_1 are data 0 to 3

  EXPECT_EQ(driver.ask(1), (Answer{{0, 2}, {0}}));
  EXPECT_EQ(driver.ask(0), (Answer{{0, 3}, {1}}));
  EXPECT_EQ(driver.ask(0), (Answer{{1, 2}, {2}}));
  EXPECT_EQ(driver.ask(1), (Answer{{1, 3}, {3}}));
  EXPECT_EQ(driver.ask(0), Answer{});
}

// 2 x 1 x 2: A is 2 x 2 (data 0 to 3), B 2 x 1 (4, 5), C 2 x 1 (6, 7). Tasks (0,0,0), (0,0,1),
// (1,0,0), (1,0,1) for one processor.
TEST(Sorted, SendsOnlyTheDataThatAreMissing) {
  using Answer = Driver::Answer;
  Driver driver(Workload::matrix(2, 1, 2), 1, "sorted", 1);

  EXPECT_EQ(driver.ask(0), (Answer{{0, 4, 6}, {0}}));
  EXPECT_EQ(driver.ask(0), (Answer{{1, 5}, {1}}));
  EXPECT_EQ(driver.ask(0), (Answer{{2, 7}, {2}}));
  EXPECT_EQ(driver.ask(0), (Answer{{3}, {3}}));
}

}  // namespace
}  // namespace damocles::sorted_test
