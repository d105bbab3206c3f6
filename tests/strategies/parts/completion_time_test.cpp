// dmda's list, by hand.

#include "strategies/parts/completion_time.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "models/runs/node_memory.hpp"

namespace damocles::completion_time_test {
namespace {

using Index = TaskGraph::Index;
using Lists = std::vector<std::vector<Index>>;

/// GPUs of 1 flop/s; a byte takes 2 K / bandwidth on a bus of `bandwidth`, over links as fast.
Lists allot(const TaskGraph::Parts& parts, const std::vector<double>& speeds, double bandwidth,
            double latency_s = 0, double link = std::numeric_limits<double>::infinity()) {
  const Workload workload = Workload::of_graph("by hand", TaskGraph(TaskGraph::Parts(parts)));
  Platform platform{.speeds = speeds};
  platform.limits =
      Limits{.gpus = {}, .bus_bytes_per_s = bandwidth, .latency_s = latency_s, .jitter = 0};
  for (const double speed : speeds) {
    platform.limits->gpus.push_back(
        {.flops_per_s = speed, .memory_bytes = 1'000'000, .link_bytes_per_s = link});
  }
  const NodeMemory memory(speeds.size(), workload.data());
  const Spec spec = Spec::parse("dmda", "strategy");
  CompletionTimes times({workload, platform, memory, spec, Rng(1, Draw::strategy, 0)});
  Lists lists(speeds.size());
  for (Index task = 0; task < workload.tasks(); ++task) {
    lists[raw(times.allot(task))].push_back(task);
  }
  return lists;
}

TaskGraph::Parts tasks(const std::vector<std::uint64_t>& bytes,
                       const std::vector<std::vector<Index>>& reads, double flops) {
  TaskGraph::Parts parts;
  parts.bytes = bytes;
  for (const auto& inputs : reads) parts.add_task(inputs, flops);
  return parts;
}

TEST(AllotByCompletionTime, KeepsTasksWithTheirDataWhereItTravelsLong) {
  // 10 B at 2 * 2 / 4 = 1 s a byte. T0: to 0, there at 10, done at 11. T1 there: done at 12, cost
  // 12; elsewhere done at 11, cost 11 + 10.
  EXPECT_EQ(allot(tasks({10}, {{0}, {0}}, 1), {1, 1}, 4), (Lists{{0, 1}, {}}));
}

TEST(AllotByCompletionTime, SharesTasksOutWhereDataTravelFast) {
  EXPECT_EQ(allot(tasks({10}, {{0}, {0}}, 1), {1, 1}, 4e9), (Lists{{0}, {1}}));
}

TEST(AllotByCompletionTime, GivesTiesToTheFirst) {
  // 1 B takes 1 s. T0 ends on 0 at 2. T1: on 0 at 3 for nothing; on 1 at 2, and 1 s of transfer.
  EXPECT_EQ(allot(tasks({1}, {{0}, {0}}, 1), {1, 1}, 4), (Lists{{0, 1}, {}}));
}

TEST(AllotByCompletionTime, CountsLatencyAndTheSlowerOfLinkAndBus) {
  // A byte takes no time on the bus; over links of 1 B/s or with 1 s of latency it takes 1 s.
  const auto two = tasks({1}, {{0}, {0}}, 0.75);
  EXPECT_EQ(allot(two, {1, 1}, 4e9), (Lists{{0}, {1}}));
  EXPECT_EQ(allot(two, {1, 1}, 4e9, 1), (Lists{{0, 1}, {}}));
  EXPECT_EQ(allot(two, {1, 1}, 4e9, 0, 1), (Lists{{0, 1}, {}}));
}

TEST(AllotByCompletionTime, PrefersTheFasterProcessor) {
  // Ends on 1 at 1/3, 2/3 and 1; T3 would end there at 4/3.
  EXPECT_EQ(allot(tasks({1}, {{0}, {0}, {0}, {0}}, 1), {1, 3}, 4e9), (Lists{{3}, {0, 1, 2}}));
}

}  // namespace
}  // namespace damocles::completion_time_test
