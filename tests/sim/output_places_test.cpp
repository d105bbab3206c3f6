// Outputs that lie in places beside the memory until they are in host memory.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/one_gpu.hpp"

namespace damocles::output_places_test {
namespace {

/// Three tasks of 1 s that read one data item of 1 B and have outputs of 4 B.
Workload three_tasks() {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (int task = 0; task < 3; ++task) parts.add_task(std::vector<TaskGraph::Index>{0}, 1);
  parts.output_bytes = {4, 4, 4};
  return Workload::of_graph("by-hand", TaskGraph(std::move(parts)));
}

struct Seen {
  std::vector<double> starts_s;
  Trace trace;
};

Seen run(const Platform& platform) {
  const Workload workload = three_tasks();
  Seen seen;
  const auto watcher = [&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::task_started) seen.starts_s.push_back(event.time_s);
  };
  const auto choice = StrategyChoice::parse("eager", workload);
  seen.trace = simulate_limited(workload, platform, choice, 1, 0, watcher);
  return seen;
}

Platform with_places(std::uint64_t places) {
  Platform platform = one_gpu(1);
  platform.machine->output_places = places;
  return platform;
}

TEST(OutputPlaces, HoldUpTasksUntilOneIsFree) {
  // With one place, each task waits for the 4 s that the output before takes home.
  EXPECT_EQ(run(with_places(1)).starts_s, (std::vector<double>{1, 6, 11}));
  // With two, the third task waits for the first output.
  EXPECT_EQ(run(with_places(2)).starts_s, (std::vector<double>{1, 2, 6}));
  EXPECT_EQ(run(with_places(3)).starts_s, (std::vector<double>{1, 2, 3}));
}

TEST(OutputPlaces, LetTheRunEndWithItsLastTask) {
  const Trace trace = run(with_places(1)).trace;
  EXPECT_EQ(trace.makespan_s, 12);
  EXPECT_EQ(trace.busy_s, (std::vector<double>{3}));
  EXPECT_EQ(trace.bytes_written, (std::vector<std::uint64_t>{12}));
  EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{1}));
}

TEST(OutputPlaces, ShareTheBusWithLoadsWhereItIsOneForBothDirections) {
  Platform platform = with_places(3);
  platform.machine->duplex = false;
  TaskGraph::Parts parts;
  parts.bytes = {1, 3};
  for (const TaskGraph::Index item : {0U, 1U}) parts.add_task(std::vector{item}, 1);
  parts.output_bytes = {4, 4};
  platform.machine->processors[0].memory_bytes = 4;
  platform.machine->depth = 1;
  const Workload workload = Workload::of_graph("by-hand", TaskGraph(std::move(parts)));
  const Trace trace = simulate(workload, platform, StrategyChoice::parse("eager", workload), 1, 0);
  // From 2 on the first output (4 B) and the second data item (3 B) have half of the bus each: the
  // item is there at 8.
  EXPECT_EQ(trace.makespan_s, 9);
}

}  // namespace
}  // namespace damocles::output_places_test
