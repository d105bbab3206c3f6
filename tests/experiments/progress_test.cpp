#include "experiments/progress.hpp"

#include <gtest/gtest.h>

namespace damocles::progress_test {
namespace {

TEST(Progress, SaysRateTimeElapsedAndTimeLeft) {
  EXPECT_EQ(progress_line(0, 40, 0), "0 of 40 rows (0 %)");
  EXPECT_EQ(progress_line(10, 40, 2), "10 of 40 rows (25 %), 5 rows/s, 2 s, 6 s left");
  EXPECT_EQ(progress_line(1, 3, 90), "1 of 3 rows (33 %), 90 s a row, 1 min 30 s, 3 min 0 s left");
  EXPECT_EQ(progress_line(0, 0, 1), "0 of 0 rows (0 %)");
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
