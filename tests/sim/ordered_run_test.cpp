// Runs whose tasks wait for others and write, worked out by hand.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/task_graph.hpp"
#include "sim/limited_run.hpp"
#include "strategies/registry.hpp"

namespace damocles::ordered_run_test {
namespace {

using Index = TaskGraph::Index;

/// Two GPUs of 1 flop/s on a bus of 1 B/s, room for all.
Trace two_gpus(const TaskGraph::Parts& parts, const std::string& strategy, bool write_back,
               double peers = 0, bool over_bus = false) {
  const Workload workload = Workload::of_graph("by hand", TaskGraph(TaskGraph::Parts(parts)));
  Platform platform{.speeds = {1, 1}};
  MachineModel machine{
      .processors = {2, {.flops_per_s = 1, .memory_bytes = 1000, .link_bytes_per_s = 1}},
      .bus_bytes_per_s = 1,
      .sharing = BusSharing::fifo,
      .depth = 1,
      .write_back = write_back,
      .peer_bytes_per_s = peers,
      .peers_over_bus = over_bus,
      .jitter = 0};
  platform.machine = machine;
  return simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0);
}

TEST(OrderedRun, CarriesResultsOverHome) {
  TaskGraph::Parts parts;  // T0 makes a and T1 b, on two GPUs; T2 reads both
  parts.bytes = {5, 7};
  const std::vector out{Access::write};
  parts.add_task(std::vector<Index>{0}, out, 10);
  parts.add_task(std::vector<Index>{1}, out, 20);
  parts.add_task(std::vector<Index>{0, 1}, std::vector{Access::read, Access::read}, 3);

  const Trace trace = two_gpus(parts, "eager", false);

  // GPU 0 has been idle since 10, so T2 is granted to it at 20, before GPU 1 asks, which released
  // T2. b returns from 20 to 27 and is loaded until 34; T2 runs from 34 to 37.
  EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(trace.bytes_written, (std::vector<std::uint64_t>{0, 7}));
  EXPECT_DOUBLE_EQ(trace.makespan_s, 37);
}

TEST(OrderedRun, CarriesResultsOverALinkBetweenProcessors) {
  TaskGraph::Parts parts;  // as above
  parts.bytes = {5, 7};
  const std::vector out{Access::write};
  parts.add_task(std::vector<Index>{0}, out, 10);
  parts.add_task(std::vector<Index>{1}, out, 20);
  parts.add_task(std::vector<Index>{0, 1}, std::vector{Access::read, Access::read}, 3);

  const Trace trace = two_gpus(parts, "eager", false, 2);

  // b comes from GPU 1 at 2 B/s: from 20 to 23.5; T2 until 26.5.
  EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(trace.loads_from_peers, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(trace.bytes_written, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_DOUBLE_EQ(trace.makespan_s, 26.5);
}

TEST(OrderedRun, CarriesResultsStraightOverTheBus) {
  TaskGraph::Parts parts;  // as above
  parts.bytes = {5, 7};
  const std::vector out{Access::write};
  parts.add_task(std::vector<Index>{0}, out, 10);
  parts.add_task(std::vector<Index>{1}, out, 20);
  parts.add_task(std::vector<Index>{0, 1}, std::vector{Access::read, Access::read}, 3);

  const Trace trace = two_gpus(parts, "eager", false, 0, true);

  // b comes from GPU 1, out over the bus and in again, at half of 1 B/s: from 20 to 34; T2
  // until 37.
  EXPECT_EQ(trace.loads_from_peers, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(trace.bytes_written, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_DOUBLE_EQ(trace.makespan_s, 37);
}

/// What host memory holds comes from there, as a copy over the bus is no faster.
TEST(OrderedRun, AsksHomeFirstWhereThereIsOnlyTheBus) {
  TaskGraph::Parts parts;
  parts.bytes = {5};
  for (int task = 0; task < 2; ++task) {
    parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 100);
  }

  const Trace trace = two_gpus(parts, "eager", false, 0, true);

  EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(trace.loads_from_peers, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_DOUBLE_EQ(trace.makespan_s, 110);
}

/// Of three GPUs in a line the last reads what the first made: over both links, at 2 B/s.
TEST(OrderedRun, CarriesResultsOverARoute) {
  TaskGraph::Parts parts;
  parts.bytes = {6};
  parts.kind_names = {"A", "C"};
  parts.task_kinds = {0, 1};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 10);
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 3);
  const Workload workload = Workload::of_graph("by hand", TaskGraph(TaskGraph::Parts(parts)));
  Platform platform{.speeds = {1, 1, 1}};
  const auto gpu = [](std::vector<KernelTime> never) {
    return ProcessorModel{.flops_per_s = 1,
                          .memory_bytes = 100,
                          .link_bytes_per_s = 1,
                          .kernel_times = std::move(never)};
  };
  platform.machine = {.processors = {gpu({{"C", never_s}}), gpu({{"A", never_s}, {"C", never_s}}),
                                     gpu({{"A", never_s}})},
                      .bus_bytes_per_s = 1,
                      .latency_s = 0.5,
                      .peer_links = {{0, 1, 4}, {2, 1, 2}},
                      .peer_routes = {{0, 2, {1}}},
                      .jitter = 0};
  const auto makespan_s = [&] {
    return simulate_limited(workload, platform, StrategyChoice::parse("eager", workload), 1, 0)
        .makespan_s;
  };
  EXPECT_DOUBLE_EQ(makespan_s(), 10 + (2 * 0.5 + 6.0 / 2) + 3);
  platform.machine->peer_routes.clear();  // to host memory, and from there
  EXPECT_DOUBLE_EQ(makespan_s(), 10 + 2 * (0.5 + 6) + 3);
}

TEST(OrderedRun, ComputesAtHomeWhatNobodyLoads) {
  TaskGraph::Parts parts;  // T0 makes a, T1 b from a, T2 c from b: GPU, core, GPU
  parts.bytes = {5, 7, 2};
  parts.kind_names = {"G", "C"};
  parts.task_kinds = {0, 1, 0};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 10);
  parts.add_task(std::vector<Index>{0, 1}, std::vector{Access::read, Access::write}, 20);
  parts.add_task(std::vector<Index>{1, 2}, std::vector{Access::read, Access::write}, 3);
  const Workload workload = Workload::of_graph("by hand", TaskGraph(TaskGraph::Parts(parts)));
  Platform platform{.speeds = {1, 4}};
  platform.machine = {.processors = {{.flops_per_s = 1,
                                      .memory_bytes = 1000,
                                      .link_bytes_per_s = 1,
                                      .kernel_times = {{"C", never_s}}},
                                     {.flops_per_s = 4,
                                      .kernel_times = {{"G", never_s}},
                                      .kind = "cpu",
                                      .in_host_memory = true}},
                      .bus_bytes_per_s = 1,
                      .jitter = 0};
  for (const auto* name : {"eager", "lws", "dmda", "dmdar", "dmdas", "heft", "heteroprio"}) {
    const Trace trace =
        simulate_limited(workload, platform, StrategyChoice::parse(name, workload), 1, 0);

    // T0 until 10, a goes to host memory until 15, T1 there until 20, b is loaded until 27, T2
    // until 30.
    EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{1, 0})) << name;
    EXPECT_EQ(trace.tasks, (std::vector<std::uint64_t>{2, 1})) << name;
    EXPECT_EQ(trace.bytes_written, (std::vector<std::uint64_t>{5, 0})) << name;
    EXPECT_DOUBLE_EQ(trace.makespan_s, 30) << name;
  }
}

TEST(OrderedRun, BringsAllHomeWhereOutputsAreWaitedFor) {
  TaskGraph::Parts parts;
  parts.bytes = {5};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read_write}, 10);

  EXPECT_DOUBLE_EQ(two_gpus(parts, "eager", false).makespan_s, 15);
  EXPECT_DOUBLE_EQ(two_gpus(parts, "eager", true).makespan_s, 20);
}

}  // namespace
}  // namespace damocles::ordered_run_test
