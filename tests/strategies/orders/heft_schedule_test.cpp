// HEFT on the example of its paper, and against the laws of any schedule.

#include "strategies/orders/heft_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "models/rng.hpp"

namespace damocles::heft_schedule_test {
namespace {

using Index = Dependencies::Index;
using Edge = std::pair<Index, Index>;

/// Topcuoglu, Hariri & Wu, TPDS 2002, figure 2: ten tasks on three processors.
constexpr std::array<std::array<double, 3>, 10> durations{{{14, 16, 9},
                                                           {13, 19, 18},
                                                           {11, 13, 19},
                                                           {13, 8, 17},
                                                           {12, 13, 10},
                                                           {13, 16, 9},
                                                           {7, 15, 11},
                                                           {5, 11, 14},
                                                           {18, 12, 20},
                                                           {21, 7, 16}}};
const std::map<Edge, double> transfers{{{0, 1}, 18}, {{0, 2}, 12}, {{0, 3}, 9},  {{0, 4}, 11},
                                       {{0, 5}, 14}, {{1, 7}, 19}, {{1, 8}, 16}, {{2, 6}, 23},
                                       {{3, 7}, 27}, {{3, 8}, 23}, {{4, 8}, 13}, {{5, 7}, 15},
                                       {{6, 9}, 17}, {{7, 9}, 11}, {{8, 9}, 13}};

TEST(HeftSchedule, GivesThePapersExampleItsMakespan) {
  std::vector<Dependencies::Wait> waits;
  for (const auto& [edge, cost] : transfers) waits.emplace_back(edge.second, edge.first);

  const auto placed = heft_schedule(
      Dependencies(10, waits), 10, 3,
      {.duration_s = [](Index task, std::size_t k) { return durations.at(task).at(k); },
       .transfer_s =
           [](Index a, Index b) {
             return transfers.at({a, b});
           }});

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

/// Two tasks, one after the other, which pass on what takes 4 s between two GPUs, 2 s on average.
TEST(HeftSchedule, CountsWaysByTheirShare) {
  const auto between = [](double share) {
    const auto placed = heft_schedule(
        Dependencies(2, std::vector<Dependencies::Wait>{{1, 0}}), 2, 2,
        {.duration_s = [](Index task, std::size_t k) { return task == k ? 1.0 : 5.0; },
         .transfer_s = [](Index, Index) { return 2.0; },
         .share = [&](std::size_t from, std::size_t to) { return from == to ? 0 : share; }});
    return placed[1].end_s;
  };
  EXPECT_EQ(between(0), 2);  // 1 here, 1 there
  EXPECT_EQ(between(1), 4);
  EXPECT_EQ(between(2), 6);  // as long as on the processor of the first
  EXPECT_EQ(between(9), 6);
}

TEST(HeftSchedule, OverlapsNothingAndWaitsForWhatPasses) {
  Rng rng(1, Draw::test, 0);
  for (int i = 0; i < 200; ++i) {
    const std::size_t tasks = 1 + rng.below(20);
    const std::size_t processors = 1 + rng.below(4);
    std::vector<Dependencies::Wait> waits;
    for (Index t = 1; t < tasks; ++t) {
      for (std::uint64_t w = rng.below(3); w > 0; --w) {
        waits.emplace_back(t, static_cast<Index>(rng.below(t)));
      }
    }
    std::vector<std::vector<double>> times(tasks);
    for (auto& row : times) {
      for (std::size_t k = 0; k < processors; ++k) row.push_back(static_cast<double>(rng.below(9)));
    }
    const Dependencies dependencies(tasks, waits);
    const auto transfer = [](Index a, Index b) { return (a * 7 + b) % 5; };

    const auto placed =
        heft_schedule(dependencies, tasks, processors,
                      {.duration_s = [&](Index t, std::size_t k) { return times[t][k]; },
                       .transfer_s = [&](Index a, Index b) { return transfer(a, b); }});

    for (Index a = 0; a < tasks; ++a) {
      ASSERT_EQ(placed[a].end_s, placed[a].start_s + times[a][raw(placed[a].processor)]);
      for (const Index b : dependencies.after(a)) {
        const bool same = placed[a].processor == placed[b].processor;
        ASSERT_GE(placed[b].start_s, placed[a].end_s + (same ? 0 : transfer(a, b)));
      }
      for (Index b = 0; b < a; ++b) {
        if (placed[a].processor != placed[b].processor) continue;
        ASSERT_TRUE(placed[a].end_s <= placed[b].start_s || placed[b].end_s <= placed[a].start_s)
            << a << " and " << b << " in instance " << i;
      }
    }
  }
}

}  // namespace
}  // namespace damocles::heft_schedule_test
