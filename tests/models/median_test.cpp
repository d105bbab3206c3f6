#include "models/median.hpp"

#include <gtest/gtest.h>

namespace damocles::median_test {
namespace {

TEST(Median, IsInTheMiddleOrTheMeanOfTheTwoThere) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({8, 1, 2, 4}), 3);
  EXPECT_EQ(median({5, 5, 1, 5}), 5);
}

}  // namespace
}  // namespace damocles::median_test
