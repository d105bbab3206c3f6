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

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// GPUs on a bus, on which a byte takes 2 K / bandwidth, unless links are slower.
struct Machine {
  std::vector<double> speeds;  ///< [flop/s]
  double bandwidth = 0;
  double latency_s = 0;
  std::vector<double> links{};  ///< of each GPU; empty: unlimited
};

/// What dmda expects on that machine.
class Expected {
 public:
  Expected(const TaskGraph::Parts& parts, const Machine& machine, const char* strategy = "dmda")
      : workload_(Workload::of_graph("by hand", TaskGraph(TaskGraph::Parts(parts)))),
        platform_{.speeds = machine.speeds, .limits = limits(machine)},
        memory_(machine.speeds.size(), workload_.data()),
        spec_(Spec::parse(strategy, "strategy")),
        times({workload_, platform_, memory_, spec_, Rng(1, Draw::strategy, 0)}) {}

  /// The lists where all tasks are allotted, one after the other.
  Lists allot_all() {
    Lists lists(platform_.processors());
    for (Index task = 0; task < workload_.tasks(); ++task) {
      lists[raw(times.allot(task))].push_back(task);
    }
    return lists;
  }

 private:
  static Limits limits(const Machine& machine) {
    Limits limits{.gpus = {},
                  .bus_bytes_per_s = machine.bandwidth,
                  .latency_s = machine.latency_s,
                  .jitter = 0};
    for (std::size_t k = 0; k < machine.speeds.size(); ++k) {
      limits.gpus.push_back(
          {.flops_per_s = machine.speeds[k],
           .memory_bytes = 1'000'000,
           .link_bytes_per_s = machine.links.empty() ? unlimited : machine.links[k]});
    }
    return limits;
  }

  Workload workload_;
  Platform platform_;
  NodeMemory memory_;
  Spec spec_;

 public:
  CompletionTimes times;  // NOLINT(misc-non-private-member-variables-in-classes)
};

Lists allot(const TaskGraph::Parts& parts, const std::vector<double>& speeds, double bandwidth,
            double latency_s = 0, double link = unlimited) {
  const Machine machine{speeds, bandwidth, latency_s, std::vector<double>(speeds.size(), link)};
  return Expected(parts, machine).allot_all();
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

TEST(AllotByCompletionTime, DropsTheWaitForATransferWhenTheTaskStarts) {
  // T0 waits 10 s for 10 B on 0, and computes 1 s. T1 reads 1 B. While T0 waits it ends on 0 at 12
  // and on 1 at 2; when T0 has started, at 2 on either, and the first gets it.
  const auto two = tasks({10, 1}, {{0}, {1}}, 1);
  Expected waits(two, {{1, 1}, 4});
  EXPECT_EQ(waits.times.allot(0), ProcessorId{0});
  EXPECT_EQ(waits.times.allot(1), ProcessorId{1});
  Expected runs(two, {{1, 1}, 4});
  EXPECT_EQ(runs.times.allot(0), ProcessorId{0});
  runs.times.started(ProcessorId{0}, 0);
  EXPECT_EQ(runs.times.allot(1), ProcessorId{0});
}

TEST(AllotByCompletionTime, CountsTheRunningTaskUntilItHasEnded) {
  // Without transfers worth the name: T0 runs on 0, T1 goes to 1; when both have ended, T2 to 0.
  Expected expected(tasks({1, 1, 1}, {{0}, {1}, {2}}, 1), {{1, 1}, 4e9});
  EXPECT_EQ(expected.times.allot(0), ProcessorId{0});
  expected.times.started(ProcessorId{0}, 0);
  EXPECT_EQ(expected.times.allot(1), ProcessorId{1});
  expected.times.started(ProcessorId{1}, 1);
  expected.times.finished(ProcessorId{0}, 0);
  expected.times.finished(ProcessorId{1}, 1);
  EXPECT_TRUE(expected.times.idle());
  EXPECT_EQ(expected.times.allot(2), ProcessorId{0});
}

TEST(AllotByCompletionTime, QueuesTransfersWhereAsked) {
  // 1 B takes 1 s to 0 and 2 s to 1; a task computes 0.25 s. Alone: on 0 a task costs its end, at
  // most 2, and 1 s; on 1 it costs 4.25. Queued: T2 ends on 0 at 3.25 and costs 4.25, as on 1; T3
  // would cost 5.25.
  const auto four = tasks({1, 1, 1, 1}, {{0}, {1}, {2}, {3}}, 0.25);
  const Machine machine{{1, 1}, 4e9, 0, {1, 0.5}};
  EXPECT_EQ(Expected(four, machine).allot_all(), (Lists{{0, 1, 2, 3}, {}}));
  EXPECT_EQ(Expected(four, machine, "dmda:transfers=queued").allot_all(), (Lists{{0, 1, 2}, {3}}));
}

TEST(AllotByCompletionTime, EndsAQueuedTransferWhenItsTaskStarts) {
  const auto four = tasks({1, 1, 1, 1}, {{0}, {1}, {2}, {3}}, 0.25);
  Expected expected(four, {{1, 1}, 4e9, 0, {1, 0.5}}, "dmda:transfers=queued");
  for (Index task = 0; task < 3; ++task) EXPECT_EQ(expected.times.allot(task), ProcessorId{0});
  expected.times.started(ProcessorId{0}, 0);
  // Two transfers are left on 0: T3 ends there at 3.25 and costs 4.25, as on 1.
  EXPECT_EQ(expected.times.allot(3), ProcessorId{0});
}

}  // namespace
}  // namespace damocles::completion_time_test
