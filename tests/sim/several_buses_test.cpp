// GPUs on buses of several bandwidths: what strategies make of them and what runs take, by hand.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/limited_run.hpp"

namespace damocles::several_buses_test {
namespace {

using Index = TaskGraph::Index;
using Counts = std::vector<std::uint64_t>;

/// Three GPUs of 1 flop/s, each alone on its bus: the second on a slow one of 1 B/s, the others on
/// some of 10 B/s.
Platform three_gpus() {
  Platform platform{.speeds = {1, 1, 1}};
  MachineModel machine{
      .processors = {3, {.flops_per_s = 1, .memory_bytes = 1000, .link_bytes_per_s = 100}},
      .bus_bytes_per_s = 10,
      .bus_rates = {10, 1, 10},
      .depth = 1,
      .jitter = 0};
  for (std::size_t p = 0; p < 3; ++p) machine.processors[p].bus = p;
  platform.machine = machine;
  return platform;
}

Trace run(TaskGraph::Parts parts, const std::string& strategy, const Platform& platform) {
  const Workload workload = Workload::of_graph("by hand", TaskGraph(std::move(parts)));
  return simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0);
}

TEST(SeveralBuses, CarryEachAtItsRate) {
  TaskGraph::Parts parts;
  parts.bytes = {20, 20, 20};
  for (Index task = 0; task < 3; ++task) parts.add_task(std::vector<Index>{task}, 1);

  const Trace trace = run(parts, "eager", three_gpus());

  EXPECT_EQ(trace.tasks, (Counts{1, 1, 1}));
  EXPECT_DOUBLE_EQ(trace.makespan_s, 20 + 1);  // the others are done at 3
}

/// Two tasks with an input of 20 B each: by dmda the second would end on the slow bus at 41, and
/// on the third GPU at 5, as each bus counts for both directions.
TEST(SeveralBuses, LetDmdaAllotByTheBusOfEach) {
  TaskGraph::Parts parts;
  parts.bytes = {20, 20};
  for (Index task = 0; task < 2; ++task) parts.add_task(std::vector<Index>{task}, 1);
  EXPECT_EQ(run(parts, "dmda", three_gpus()).tasks, (Counts{1, 0, 1}));
  // Were all as fast, it would go to the second.
  Platform alike = three_gpus();
  alike.machine->bus_rates.clear();
  EXPECT_EQ(run(parts, "dmda", alike).tasks, (Counts{1, 1, 0}));
}

/// T0 writes 10 B that T1 and T2 read, of 10 s each. T1 goes where T0 is, until 15; T2 would end
/// there at 25, on the slow bus at 5 + 1 + 10 + 10 = 26, on the third GPU at 5 + 1 + 1 + 10.
TEST(SeveralBuses, LetHeftPlaceByTheBusesOfBoth) {
  TaskGraph::Parts parts;
  parts.bytes = {10};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 5);
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 10);
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 10);

  const Trace trace = run(parts, "heft", three_gpus());

  EXPECT_EQ(trace.tasks, (Counts{2, 0, 1}));
  EXPECT_DOUBLE_EQ(trace.makespan_s, 17);
  Platform alike = three_gpus();
  alike.machine->bus_rates.clear();
  EXPECT_EQ(run(parts, "heft", alike).tasks, (Counts{2, 1, 0}));
}

}  // namespace
}  // namespace damocles::several_buses_test
