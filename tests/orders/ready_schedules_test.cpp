// The classics without insertion on examples of papers, and by hand.

#include "orders/ready_schedules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "orders/bil_schedule.hpp"
#include "tests/orders/planned_examples.hpp"

namespace damocles::ready_schedules_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// "processor:start" of each task.
std::string where(const std::vector<Placement>& placed) {
  std::string result;
  for (const Placement& at : placed) {
    if (!result.empty()) result += ' ';
    result += std::to_string(raw(at.processor)) + ':' + std::to_string(std::lround(at.start_s));
  }
  return result;
}

/// The survey's schedules by HLFET, ETF and DLS all have length 19. Levels: 11 8 8 9 5 5 5 5 1.
TEST(ReadySchedules, TakeAsLongAsReportedOnTheExampleOfKwokAndAhmad) {
  const PlannedGraph graph = kwok().graph();

  EXPECT_EQ(static_levels(graph, mean_durations(graph)),
            (std::vector<double>{11, 8, 8, 9, 5, 5, 5, 5, 1}));
  EXPECT_EQ(makespan_s(hlfet_schedule(graph)), 19);
  EXPECT_EQ(makespan_s(etf_schedule(graph)), 19);
  EXPECT_EQ(makespan_s(dls_schedule(graph)), 19);
}

/// Topcuoglu, Hariri & Wu give their example to DLS too.
TEST(DlsSchedule, TakesAsLongAsReportedOnTheExampleOfHeft) {
  EXPECT_EQ(makespan_s(dls_schedule(topcuoglu().graph())), 91);
}

/// By the paper 93 by min-min, and 78 by Sufferage, which gives machine 0 to the second task.
TEST(Batches, TakeAsLongAsReportedOnTheExampleOfMaheswaran) {
  const PlannedGraph graph = maheswaran().graph();

  // First 0 on 0 until 40, then 3 on 1 until 60 (1 would end at 82, 2 at 68), 1 on 2 until 88 (90
  // on 0), 2 on 3 until 93.
  EXPECT_EQ(where(min_min_schedule(graph)), "0:0 2:0 3:0 1:0");
  EXPECT_EQ(makespan_s(min_min_schedule(graph)), 93);
  // All want 0, and suffer 8, 32, 13 and 8. Then 1: 2 of 48 and 50, 25 of 68 and 93, 18. Then 0
  // wants 3, and 3 wants 2.
  EXPECT_EQ(where(sufferage_schedule(graph)), "3:0 0:0 1:0 2:0");
  EXPECT_EQ(makespan_s(sufferage_schedule(graph)), 78);
  // First ends are 40, 50, 55, 52: 2 on 0. Then 48, 82, -, 60: 1 on 1. Then 50 and 78: 3 on 2.
  EXPECT_EQ(where(max_min_schedule(graph)), "3:0 1:0 0:0 2:0");
  EXPECT_EQ(makespan_s(max_min_schedule(graph)), 82);
}

/// Levels 6, 7, 3, 2 and 4. T1 and T0 go first, and T4 on processor 1 from 3, where T2 (3) could
/// start too.
TEST(ReadySchedules, GoByLevelOrByStart) {
  const PlannedExample example{{{3, 3}, {5, 5}, {3, 3}, {2, 2}, {4, 4}},
                               {{{0, 2}, 4}, {{1, 3}, 1}}};
  const PlannedGraph graph = example.graph();

  // T2 at 7, on processor 0 as on 1, then T3 on 1.
  EXPECT_EQ(where(hlfet_schedule(graph)), "1:0 0:0 0:7 1:7 1:3");
  // T3 can start at 5 on processor 0, T2 at 7.
  EXPECT_EQ(where(etf_schedule(graph)), "1:0 0:0 0:7 0:5 1:3");
  // 2 - 5 = -3 is more than 3 - 7 = -4.
  EXPECT_EQ(where(dls_schedule(graph)), "1:0 0:0 0:7 0:5 1:3");
}

/// T1, of level 10, can start at 4 on processor 1, T2, of level 1, at once.
TEST(ReadySchedules, MayLetALowTaskGoFirst) {
  const PlannedExample example{{{1, infinite}, {infinite, 10}, {infinite, 1}}, {{{0, 1}, 3}}};
  const PlannedGraph graph = example.graph();

  EXPECT_EQ(where(hlfet_schedule(graph)), "0:0 1:4 1:14");
  EXPECT_EQ(where(etf_schedule(graph)), "0:0 1:4 1:0");
  EXPECT_EQ(where(dls_schedule(graph)), "0:0 1:4 1:14");  // 10 - 4 against 1 - 0
}

/// The lower of two tasks, where it ends first of the processors where it starts first.
TEST(ReadySchedules, BreakTiesByLevelTaskEndAndProcessor) {
  const PlannedExample example{{{4, 2, 2}, {4, 2, 2}, {1, 1, 1}}};
  const PlannedGraph graph = example.graph();

  EXPECT_EQ(where(hlfet_schedule(graph)), "1:0 2:0 0:0");
  EXPECT_EQ(where(etf_schedule(graph)), "1:0 2:0 0:0");
}

/// T0's median is 4, T1's 3 (of 2, 3, 10): levels less starts and what speed gains.
TEST(DlsSchedule, CountsWhatAProcessorGainsOverTheMedian) {
  const PlannedExample example{{{4, 4, 1}, {2, 3, 10}}};

  // DL of T0: 4, 4, 4 + 3 = 7; of T1: 3 + 1, 3, 3 - 7. T0 on 2; T1 on 0.
  EXPECT_EQ(where(dls_schedule(example.graph())), "2:0 0:0");
}

/// T0's median is 5, so its level on processor 0 is 5 + 1 = 6: less than 7, more than 5.5.
TEST(DlsSchedule, TakesTheMeanOfTheTwoInTheMiddle) {
  const PlannedExample slower{{{4, 6}, {7, 7}}};
  const PlannedExample quicker{{{4, 6}, {5.5, 5.5}}};

  EXPECT_EQ(where(dls_schedule(slower.graph())), "1:0 0:0");
  EXPECT_EQ(where(dls_schedule(quicker.graph())), "0:0 1:0");
}

/// T0's median counts as 6: 6 + 4 on processor 0, where T1 has 5.
TEST(DlsSchedule, TakesTheLongestFiniteDurationForAnInfiniteMedian) {
  const PlannedExample example{{{2, 6, infinite, infinite}, {5, 5, 5, 5}}};

  EXPECT_EQ(where(dls_schedule(example.graph())), "0:0 1:0");
}

/// An infinite median is the longest finite duration: DL of T0 is 2, of T1 9 + 8 on the second, of
/// an even number in the middle: (1 + 9) / 2 = 5 + 4 = 9.
TEST(DlsSchedule, KnowsProcessorsThatCannotRunATask) {
  const PlannedExample example{{{2, infinite}, {1, 9}, {3, infinite}}};

  // T1 on 0 (9 against 2 and 3); then T2 (3 - 1 = 2), T0 (2 - 4).
  EXPECT_EQ(where(dls_schedule(example.graph())), "0:4 0:0 0:1");
}

/// T1 can run on processor 0 alone, so it suffers most, however little it takes.
TEST(SufferageSchedule, LetsWhoCanRunNowhereElseGoFirst) {
  const PlannedExample example{{{1, 50}, {2, infinite}, {3, 30}}};

  EXPECT_EQ(where(sufferage_schedule(example.graph())), "0:2 0:0 0:3");
}

/// Who suffers the same does not take a processor from another; who becomes ready, as T2 behind T0,
/// joins the next pass.
TEST(SufferageSchedule, KeepsClaimsOfEqualSufferage) {
  const PlannedExample example{{{2, 4}, {2, 4}, {1, 9}}, {{{0, 2}, 0}}};

  // T0 on 0, then T1 (4 and 4: nothing) and T2 (3 and 11): T2 wants 0, from 2, so does T1: T2.
  EXPECT_EQ(where(sufferage_schedule(example.graph())), "0:0 1:0 0:2");
}

// --- BIL -----------------------------------------------------------------------------------------

/// Levels: T1 6 and 1; T0 2 + min(6, 1 + 2) = 5 and 4 + min(6 + 2, 1) = 5; T2 3 and 3.
TEST(BilSchedule, PutsFirstWhatWouldEndLastOnItsSecondBestProcessor) {
  const PlannedExample example{{{2, 4}, {6, 1}, {3, 3}}, {{{0, 1}, 2}}};

  // Two ready: T0 (5, 5) before T2 (3, 3), on the lower. Then T1, 2 + 6 = 8 and 4 + 1 = 5, before
  // T2, 5 and 3. Then T2, 5 and 5 + 3 = 8.
  EXPECT_EQ(where(bil_schedule(example.graph())), "0:0 1:4 0:2");
}

/// The second smallest are 5 and 5, the smallest 3 and 4: T1 first.
TEST(BilSchedule, BreaksTiesByTheNextSmallerMakespan) {
  const PlannedExample example{{{5, 3}, {5, 4}}};

  EXPECT_EQ(where(bil_schedule(example.graph())), "0:0 1:0");
  const PlannedExample turned{{{5, 4}, {5, 3}}};
  EXPECT_EQ(where(bil_schedule(turned.graph())), "1:0 0:0");
}

/// T0 (5 and 5) before T1 (1 and 4): both processors end it at 5, and T1 would rather have the
/// first.
TEST(BilSchedule, LeavesOthersTheProcessorThatTheyGainMoreFrom) {
  const PlannedExample example{{{5, 5}, {1, 4}}};

  EXPECT_EQ(where(bil_schedule(example.graph())), "1:0 0:0");
}

/// T0 first, for which the processors tie. With four ready on two processors the others, T1 and T2
/// alike, would together end at 2 * (1 + 1) + (4 + 4) = 12 and 2 * (3 + 3) + (1.5 + 1.5) = 15.
TEST(BilSchedule, CountsAllTasksThatAreAlike) {
  const PlannedExample example{{{5, 5}, {1, 3}, {1, 3}, {4, 1.5}}};

  // Then T1, 1 and 5 + 3, before T3, 4 and 5 + 1.5; T2 likewise; T3 at 2 + 4 or 5 + 1.5.
  EXPECT_EQ(where(bil_schedule(example.graph())), "1:0 0:0 0:1 0:2");
}

/// T0: 2 + min(7, 1 + 4) = 7 and 5 + 1 = 6. Four ready on two processors: 7 + 2 = 9 against 6 + 5 =
/// 11. Then T1, which is then ready as three others are: 9 + 7 = 16 against 7 + 1 = 8.
TEST(BilSchedule, CountsDurationsMoreWhereManyAreReady) {
  const PlannedExample example{{{2, 5}, {7, 1}, {1, 1}, {1, 1}, {1, 1}}, {{{0, 1}, 4}}};

  EXPECT_EQ(where(bil_schedule(example.graph())), "0:0 1:6 0:2 0:3 0:4");
}

/// T0 runs on processor 1 alone: its largest finite makespan, 4, is less than T1's second, 5.
TEST(BilSchedule, KnowsProcessorsThatCannotRunATask) {
  const PlannedExample example{{{infinite, 4}, {5, 3}}};

  // T1: 5 and 3, on 1. Then T0 behind it.
  EXPECT_EQ(where(bil_schedule(example.graph())), "1:3 1:0");
}

}  // namespace
}  // namespace damocles::ready_schedules_test
