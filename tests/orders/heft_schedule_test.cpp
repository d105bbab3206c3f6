// HEFT, and HEFT that looks ahead, on examples of papers and by hand; the laws of any schedule are
// in static_schedules_test.cpp.

#include "orders/heft_schedule.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "orders/lookahead_schedule.hpp"
#include "tests/orders/planned_examples.hpp"

namespace damocles::heft_schedule_test {
namespace {

TEST(HeftSchedule, GivesThePapersExampleItsMakespan) {
  const auto placed = heft_schedule(topcuoglu().graph());

  EXPECT_EQ(placed[9].end_s, 80);
  // Figure 4a: n1 on P3 from 0 to 9, n10 on P2 from 73, n4 on P2 from 18, n3 on P3 until 28.
  EXPECT_EQ(raw(placed[0].processor), 2U);
  EXPECT_EQ(placed[0].end_s, 9);
  EXPECT_EQ(raw(placed[9].processor), 1U);
  EXPECT_EQ(placed[9].start_s, 73);
  EXPECT_EQ(raw(placed[3].processor), 1U);
  EXPECT_EQ(placed[3].start_s, 18);
  EXPECT_EQ(raw(placed[2].processor), 2U);
  EXPECT_EQ(placed[2].end_s, 28);
}

/// PEFT's paper gives its own example to HEFT and to HEFT that looks ahead.
TEST(HeftSchedule, TakesAsLongAsReportedOnTheExampleOfPeft) {
  EXPECT_EQ(makespan_s(heft_schedule(arabnejad().graph())), 133);
  EXPECT_EQ(makespan_s(lookahead_schedule(arabnejad().graph())), 127);
}

/// Two tasks, one after the other, which pass on what takes 4 s between two GPUs, 2 s on average.
TEST(HeftSchedule, CountsWaysByTheirShare) {
  const auto between = [](double share) {
    const PlannedExample example{{{1, 5}, {5, 1}}, {{{0, 1}, 2}}, {{0, share}, {share, 0}}};
    return heft_schedule(example.graph())[1].end_s;
  };
  EXPECT_EQ(between(0), 2);  // 1 here, 1 there
  EXPECT_EQ(between(1), 4);
  EXPECT_EQ(between(2), 6);  // as long as on the processor of the first
  EXPECT_EQ(between(9), 6);
}

/// Two tasks and, behind the first, one that only the second processor is quick at. Ranks: 3.5 + 2
/// + 6 = 11.5, 3 and 6.
TEST(LookaheadSchedule, GoesWhereWhatIsBehindEndsFirst) {
  const PlannedExample example{{{3, 4}, {3, 3}, {10, 2}}, {{{0, 2}, 2}}};

  // T0 ends at 3 and T2, on processor 1 from 5, at 7; on processor 1 T0 ends at 4 and T2 at 6.
  EXPECT_EQ(raw(heft_schedule(example.graph())[0].processor), 0U);
  const auto placed = lookahead_schedule(example.graph());
  EXPECT_EQ(raw(placed[0].processor), 1U);
  EXPECT_EQ(placed[2].end_s, 6);
  // T1, behind which is nothing, where it ends itself first.
  EXPECT_EQ(raw(placed[1].processor), 0U);
  EXPECT_EQ(placed[1].end_s, 3);
}

/// T1 ends at 5 whether T0 ends at 3 beside it or at 2 elsewhere, from where passing takes 1.
TEST(LookaheadSchedule, BreaksTiesByTheEndOfTheTaskItself) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const PlannedExample example{{{3, 2}, {2, never}}, {{{0, 1}, 1}}};

  EXPECT_EQ(raw(lookahead_schedule(example.graph())[0].processor), 1U);
}

/// T1 and T2 wait for T0, T2 for T1 too. On processor 0 T0 ends at 2, T1 at 4 and T2 at 6: it
/// waits for T1, which was placed before it for now, at which it could have begun at 2.
TEST(LookaheadSchedule, KnowsThatOneChildWaitsForAnother) {
  const PlannedExample example{{{2, 3}, {2, 2}, {2, 9}, {7, 1}},
                               {{{0, 1}, 0}, {{0, 2}, 0}, {{1, 2}, 0}, {{0, 3}, 0}}};

  const auto placed = lookahead_schedule(example.graph());

  // From 0 on processor 0: T3 on 1 until 3, so the last child is T2, at 6. From processor 1, until
  // 3: T2 ends at 7.
  EXPECT_EQ(raw(placed[0].processor), 0U);
  EXPECT_EQ(placed[2].end_s, 6);
}

}  // namespace
}  // namespace damocles::heft_schedule_test
