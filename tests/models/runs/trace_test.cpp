#include "models/runs/trace.hpp"

#include <gtest/gtest.h>

namespace damocles::trace_test {
namespace {

TEST(Trace, AddsUpTheLoadsOfAllProcessors) {
  EXPECT_EQ((Trace{{3, 0, 4}, {1, 0, 2}, {1, 0, 2}, 2}).total_loads(), 7U);
}

TEST(Trace, DividesComputingTimeByProcessorsTimesMakespan) {
  // (1 + 0 + 2) / (3 * 2).
  EXPECT_DOUBLE_EQ((Trace{{3, 0, 4}, {1, 0, 2}, {1, 0, 2}, 2}).busy_fraction(), 0.5);
}

TEST(Trace, IsBusyForNothingWhereNothingRan) {
  EXPECT_EQ(Trace{}.busy_fraction(), 0);
  EXPECT_EQ((Trace{{0}, {0}, {0}, 0}).busy_fraction(), 0);
}

}  // namespace
}  // namespace damocles::trace_test
