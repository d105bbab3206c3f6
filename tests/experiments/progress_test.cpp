#include "experiments/progress.hpp"

#include <gtest/gtest.h>

namespace damocles::progress_test {
namespace {

TEST(Progress, SaysRateTimeElapsedAndTimeLeft) {
  EXPECT_EQ(progress_line(0, 40, 0, 0), "0 of 40 rows (0 %)");
  EXPECT_EQ(progress_line(10, 40, 0.25, 2), "10 of 40 rows (25 %), 5 rows/s, 2 s, 6 s left");
  EXPECT_EQ(progress_line(1, 4, 0.25, 90),
            "1 of 4 rows (25 %), 90 s a row, 1 min 30 s, 4 min 30 s left");
  EXPECT_EQ(progress_line(0, 0, 0, 1), "0 of 0 rows (0 %)");
}

TEST(Progress, CountsTheWorkThatIsDone) {
  EXPECT_EQ(progress_line(0, 1, 0.25, 3), "0 of 1 rows (25 %), 12 s a row, 3 s, 9 s left");
  EXPECT_EQ(progress_line(3, 8, 0.5, 2), "3 of 8 rows (50 %), 2 rows/s, 2 s, 2 s left");
  EXPECT_EQ(progress_line(0, 1, 0.0001, 1), "0 of 1 rows (0 %)");
  EXPECT_EQ(progress_line(1, 2, 1, 2), "1 of 2 rows (100 %), 1 rows/s, 2 s, 0 s left");
  // Of ten rows the nine quick ones are made: the slow one is most of the work.
  EXPECT_EQ(progress_line(9, 10, 0.25, 3), "9 of 10 rows (25 %), 3 rows/s, 3 s, 9 s left");
}

TEST(Progress, RoundsTimesUp) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(59.5), "1 min 0 s");
  EXPECT_EQ(duration_text(12000), "3 h 20 min");
}

TEST(Progress, IsSilentWhereNobodyLooks) { EXPECT_FALSE(terminal_progress(true)); }

}  // namespace
}  // namespace damocles::progress_test
