#include "experiments/studies/row_times.hpp"

#include <gtest/gtest.h>

namespace damocles::row_times_test {
namespace {

TEST(RowTimes, CountTasksAsSecondsWhereNothingIsKnown) {
  RowTimes times;
  times.expect("eager", 30);
  times.expect("darts", 10);

  EXPECT_EQ(times.left_s(), 40);
  EXPECT_EQ(times.share_done(0), 0);
  EXPECT_EQ(times.share_done(10), 0.25);
}

TEST(RowTimes, LearnTheRateOfEachMethod) {
  RowTimes times;
  times.made("eager", 10, 1);
  times.made("eager", 30, 3);
  times.made("darts", 10, 5);

  EXPECT_DOUBLE_EQ(times.a_task_s("eager"), 0.1);
  EXPECT_DOUBLE_EQ(times.a_task_s("darts"), 0.5);
  EXPECT_DOUBLE_EQ(times.a_task_s("hfp"), 0.5);  // unknown: as the slowest
  EXPECT_TRUE(times.knows("darts"));
  EXPECT_FALSE(times.knows("hfp"));
}

TEST(RowTimes, WeighTheWorkThatIsLeft) {
  RowTimes times;
  for (int row = 0; row < 3; ++row) times.expect("eager", 10);
  times.expect("darts", 10);
  times.made("darts", 10, 9);  // of four rows the slow one: 9 s
  times.made("eager", 10, 1);  // and one of three that take 1 s

  EXPECT_DOUBLE_EQ(times.left_s(), 2);
  EXPECT_DOUBLE_EQ(times.share_done(0), 10.0 / 12);
  EXPECT_DOUBLE_EQ(times.share_done(1), 11.0 / 12);
  EXPECT_DOUBLE_EQ(times.share_done(5), 1);  // a row that takes longer than was expected
}

TEST(RowTimes, AreDoneWhereNothingIsLeft) {
  RowTimes times;
  EXPECT_EQ(times.share_done(0), 1);
  times.expect("eager", 0.1);
  times.made("eager", 0.1, 0.2);
  EXPECT_EQ(times.left_s(), 0);
  EXPECT_EQ(times.share_done(0), 1);
}

}  // namespace
}  // namespace damocles::row_times_test
