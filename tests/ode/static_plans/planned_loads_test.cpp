// What static plans load and write back, counted by hand.

#include "ode/static_plans/planned_loads.hpp"

#include <gtest/gtest.h>

#include "tests/ode/static_plans/hand_runs.hpp"

namespace damocles::planned_loads_test {
namespace {

PlannedLoads loads_of(const HandRun& hand) {
  return planned_loads(hand.run(), hand.run().plan.order);
}

constexpr std::uint64_t gigabyte = 1'000'000'000;

TEST(PlannedLoads, LoadADataItemOnceWhileItStays) {
  const HandRun hand({{0, {reads_item(0)}}, {0, {reads_item(0), reads_item(1)}}},
                     "k=1,memory=2data");
  const PlannedLoads counted = loads_of(hand);

  EXPECT_EQ(counted.loads, 2U);
  EXPECT_EQ(counted.bytes_loaded, 2 * gigabyte);
  EXPECT_EQ(counted.bytes_home, 0U);
  EXPECT_EQ(counted.of_tasks[1], (std::vector<RoomForItem>{{.item = 1}}));
}

TEST(PlannedLoads, EvictTheLeastRecentlyUsed) {
  // The third task takes the place of 1, which the second used last; so the fourth hits 0.
  const HandRun hand({{0, {reads_item(0), reads_item(1)}},
                      {0, {reads_item(0)}},
                      {0, {reads_item(2)}},
                      {0, {reads_item(0)}},
                      {0, {reads_item(1)}}},
                     "k=1,memory=2data");
  const PlannedLoads counted = loads_of(hand);

  EXPECT_EQ(counted.loads, 4U);
  EXPECT_EQ(counted.of_tasks[2], (std::vector<RoomForItem>{{.item = 2, .after = 1}}));
  EXPECT_TRUE(counted.of_tasks[3].empty());
  EXPECT_EQ(counted.of_tasks[4], (std::vector<RoomForItem>{{.item = 1, .after = 3}}));
}

TEST(PlannedLoads, CountRoomInBytes) {
  // 2 GB hold the item of 2 GB alone, so all three loads find the other one gone.
  const HandRun hand({{0, {reads_item(0)}}, {0, {reads_item(1)}}, {0, {reads_item(0)}}},
                     "k=1,memory=2GB", {1, 2});
  const PlannedLoads counted = loads_of(hand);

  EXPECT_EQ(counted.loads, 3U);
  EXPECT_EQ(counted.bytes_loaded, 4 * gigabyte);
}

TEST(PlannedLoads, LoadAgainWhatAnotherProcessorWrote) {
  const HandRun hand(
      {{0, {updates_item(0)}}, {1, {reads_item(0)}}, {0, {updates_item(0)}}, {1, {reads_item(0)}}},
      "k=2,memory=3data");
  const PlannedLoads counted = loads_of(hand);

  // The third task finds its own copy valid. Before each read elsewhere the item goes home.
  EXPECT_EQ(counted.loads, 3U);
  EXPECT_EQ(counted.bytes_home, 2 * gigabyte);
  EXPECT_TRUE(counted.of_tasks[2].empty());
}

TEST(PlannedLoads, LoadNothingThatIsOnlyWritten) {
  const HandRun hand({{0, {writes_item(0)}}, {0, {writes_item(1)}}}, "k=1,memory=1data");
  const PlannedLoads counted = loads_of(hand);

  EXPECT_EQ(counted.loads, 0U);
  EXPECT_EQ(counted.bytes_home, gigabyte);  // 0 gives way; 1 stays where it is at the end
  EXPECT_EQ(counted.of_tasks[1],
            (std::vector<RoomForItem>{{.item = 1, .loads = false, .after = 1, .leaving = {0}}}));
}

TEST(PlannedLoads, WriteBackNothingThatIsReadAlone) {
  const HandRun hand({{0, {reads_item(0)}}, {0, {reads_item(1)}}, {0, {writes_item(2)}}},
                     "k=1,memory=1data");
  EXPECT_EQ(loads_of(hand).bytes_home, 0U);
}

TEST(PlannedLoads, ForgetTemporaryDataAfterTheirLastAccess) {
  const HandRun hand({{0, {writes_item(0)}}, {0, {reads_item(0)}}, {0, {writes_item(1)}}},
                     "k=1,memory=1data,writeback=true", {1, 1},
                     {Lifetime::temporary, Lifetime::kept});
  const PlannedLoads counted = loads_of(hand);

  EXPECT_EQ(counted.loads, 0U);
  EXPECT_EQ(counted.bytes_home, gigabyte);  // 1, at the end
  EXPECT_TRUE(counted.of_tasks[2].front().leaving.empty());
}

TEST(PlannedLoads, SendHomeOnceWhatGoesHomeEarly) {
  const std::vector<HandTask> tasks{
      {0, {writes_item(0)}}, {0, {updates_item(0)}}, {1, {reads_item(0)}}};
  const HandRun early(tasks, "k=2,memory=2data", {1}, {Lifetime::early_home});
  EXPECT_EQ(loads_of(early).bytes_home, gigabyte);
  const HandRun alone({tasks[0], tasks[1]}, "k=1,memory=2data", {1}, {Lifetime::early_home});
  EXPECT_EQ(loads_of(alone).bytes_home, gigabyte);
  const HandRun kept({tasks[0], tasks[1]}, "k=1,memory=2data", {1});
  EXPECT_EQ(loads_of(kept).bytes_home, 0U);
}

TEST(PlannedLoads, CountNothingThatACoreReadsInHostMemory) {
  // GPU, core, GPU. The core's read sends the item home, its write makes the GPU load again.
  const HandRun hand({{0, {updates_item(0)}}, {1, {updates_item(0)}}, {0, {reads_item(0)}}},
                     "k=1,memory=2data,cpus=1");
  const PlannedLoads counted = loads_of(hand);

  EXPECT_EQ(counted.loads, 2U);
  EXPECT_EQ(counted.bytes_home, gigabyte);
  EXPECT_TRUE(counted.of_tasks[1].empty());
}

/// The second processor's write frees the place of 0 on the first before the last task there, or
/// after it, where both orders fit the dependencies.
TEST(PlannedLoads, DependOnWhenOthersOverwrite) {
  const HandRun hand({{0, {reads_item(0)}},
                      {0, {reads_item(1)}},
                      {1, {writes_item(0)}},
                      {0, {reads_item(2)}},
                      {0, {reads_item(1)}}},
                     "k=2,memory=2data");
  EXPECT_TRUE(loads_of(hand).of_tasks[3].front().after == 0);
  EXPECT_EQ(planned_loads(hand.run(), {0, 1, 3, 4, 2}).of_tasks[3].front().after, 1U);
}

}  // namespace
}  // namespace damocles::planned_loads_test
