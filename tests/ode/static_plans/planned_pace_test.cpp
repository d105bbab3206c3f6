// When static plans end, by hand: tasks of 1 s, data items that take 1 s alone on the bus.

#include "ode/static_plans/planned_pace.hpp"

#include <gtest/gtest.h>

#include "tests/ode/static_plans/hand_runs.hpp"

namespace damocles::planned_pace_test {
namespace {

double makespan_s(const HandRun& hand) {
  const PlannedRun& run = hand.run();
  return planned_pace(run, planned_loads(run, run.plan.order)).makespan_s;
}

double of(const std::vector<HandTask>& tasks, const std::string& platform,
          const std::vector<Lifetime>& lifetimes = {}) {
  return makespan_s(
      HandRun(tasks, platform, {1, 1, 1},
              lifetimes.empty() ? std::vector<Lifetime>(3, Lifetime::kept) : lifetimes));
}

TEST(PlannedPace, RunsAChainAfterItsLoad) {
  const HandTask update{0, {updates_item(0)}};
  EXPECT_DOUBLE_EQ(of({update, update, update}, "k=1,memory=3data"), 4);
}

TEST(PlannedPace, SendsWhatAForkPassesOverHostMemory) {
  // Made until 1; home at 2, on the other GPU at 3, whose task ends at 4.
  const HandTask make{0, {writes_item(0)}};
  EXPECT_DOUBLE_EQ(
      of({make, {0, {reads_item(0), writes_item(1)}}, {1, {reads_item(0), writes_item(2)}}},
         "k=2,memory=3data"),
      4);
  EXPECT_DOUBLE_EQ(
      of({make, {0, {reads_item(0)}}, {1, {reads_item(0)}}}, "k=1,memory=3data,cpus=1"), 3);
}

TEST(PlannedPace, HidesLoadsOfReadyTasksInTheBuffer) {
  const std::vector<HandTask> tasks{
      {0, {reads_item(0)}}, {0, {reads_item(1)}}, {0, {writes_item(2)}}};
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data,depth=2"), 4);
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data,depth=1"), 5);
}

TEST(PlannedPace, AsksForNothingBeforeATaskIsReady) {
  // The second task waits for the first: its load begins at 1.
  EXPECT_DOUBLE_EQ(of({{0, {writes_item(0)}}, {0, {updates_item(0), reads_item(1)}}},
                      "k=1,memory=3data,depth=4"),
                   3);
}

TEST(PlannedPace, SharesTheBusAmongProcessors) {
  // Both loads have come at 2.
  EXPECT_DOUBLE_EQ(
      of({{0, {reads_item(0)}}, {1, {reads_item(1)}}, {1, {writes_item(2)}}}, "k=2,memory=3data"),
      4);
}

TEST(PlannedPace, WaitsForWhatGivesWay) {
  // The first task uses its data item until 2.
  EXPECT_DOUBLE_EQ(of({{0, {reads_item(0)}}, {0, {reads_item(1)}}, {0, {writes_item(1)}}},
                      "k=1,memory=1data,depth=2"),
                   5);
  // What it wrote until 1 is home at 2, the load has come at 3.
  EXPECT_DOUBLE_EQ(of({{0, {writes_item(0)}}, {0, {reads_item(1)}}}, "k=1,memory=1data,depth=2"),
                   4);
}

TEST(PlannedPace, WaitsForReturnsAtTheEndWhereTheRunDoes) {
  const std::vector<HandTask> tasks{{0, {writes_item(0)}}, {0, {writes_item(1)}}};
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data"), 2);
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data,writeback=traffic"), 2);
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data,writeback=true"), 4);
  // The first item goes home while the second task runs.
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data,writeback=true",
                      {Lifetime::early_home, Lifetime::kept, Lifetime::kept}),
                   3);
}

TEST(PlannedPace, AddsLatenciesAndDelaysOfRequestsOnDemand) {
  const std::vector<HandTask> tasks{
      {0, {reads_item(0)}}, {0, {reads_item(1)}}, {0, {writes_item(2)}}};
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data,latency=250ms"), 4.5);
  // When the second load is asked for its task is the next one too: it has come at 3.
  EXPECT_DOUBLE_EQ(of(tasks, "k=1,memory=3data,request=500ms"), 5);
  // The third task enters a buffer of two when it is the next, one of three before.
  const std::vector<HandTask> third{
      {0, {writes_item(0)}}, {0, {writes_item(1)}}, {0, {reads_item(2)}}};
  EXPECT_DOUBLE_EQ(of(third, "k=1,memory=3data,depth=2,request=500ms"), 3.5);
  EXPECT_DOUBLE_EQ(of(third, "k=1,memory=3data,depth=3,request=500ms"), 3);
}

}  // namespace
}  // namespace damocles::planned_pace_test
