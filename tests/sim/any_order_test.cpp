// Tasks that commute on a data item, and that reduce into it, worked out by hand.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/limited_run.hpp"
#include "tests/sim/two_gpus.hpp"

namespace damocles::any_order_test {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

constexpr std::uint16_t on_0 = 0;
constexpr std::uint16_t on_1 = 1;

/// On one data item of 5 B.
struct Task {
  std::uint16_t on;  ///< the processor that alone runs it
  double flops;
  std::vector<Access> how{};
  std::vector<Index> waits_for{};
};

Workload graph(const std::vector<Task>& tasks) {
  TaskGraph::Parts parts;
  parts.bytes = {5};
  parts.kind_names = {"A", "B"};
  for (const Task& task : tasks) {
    for (const Index before : task.waits_for) {
      parts.dependencies.emplace_back(static_cast<Index>(parts.flops.size()), before);
    }
    parts.add_task(std::vector<Index>(task.how.size(), 0), task.how, task.flops);
    parts.task_kinds.push_back(task.on);
  }
  return Workload::of_graph("by hand", TaskGraph(std::move(parts)));
}

struct Seen {
  Trace trace;
  std::vector<double> loads_s;  // when they began
};

Seen run(const std::vector<Task>& tasks) {
  const Workload workload = graph(tasks);
  Seen seen;
  const auto choice = StrategyChoice::parse("eager", workload);
  seen.trace = simulate_limited(workload, two_gpus(100), choice, 1, 0, [&](const RunEvent& event) {
    if (event.kind == Kind::load_started) seen.loads_s.push_back(event.time_s);
  });
  return seen;
}

/// T1 waits for T0 until 10; T2 does not.
std::vector<Task> one_of_two_waits(Access how) {
  return {{on_0, 10}, {on_0, 4, {how}, {0}}, {on_1, 3, {how}}};
}

TEST(AnyOrder, TasksOneAfterTheOtherMoveTheDataAsSubmitted) {
  const Seen seen = run(one_of_two_waits(Access::read_write));
  // T1 loads until 15 and runs until 19; the data return until 24, T2 loads until 29.
  EXPECT_EQ(seen.loads_s, (std::vector<double>{10, 24}));
  EXPECT_EQ(seen.trace.makespan_s, 32);
}

TEST(AnyOrder, WhoeverIsReadyFirstGoesFirstWhereTheyCommute) {
  const Seen seen = run(one_of_two_waits(Access::commute));
  // T2 loads until 5 and runs until 8. T1 is ready at 10: the data return until 15.
  EXPECT_EQ(seen.loads_s, (std::vector<double>{0, 15}));
  EXPECT_EQ(seen.trace.makespan_s, 24);
}

TEST(AnyOrder, TasksThatCommuteTakeTurns) {
  const Seen seen = run({{on_0, 4, {Access::commute}}, {on_1, 3, {Access::commute}}});
  // T0 loads until 5 and runs until 9; the data return until 14.
  EXPECT_EQ(seen.loads_s, (std::vector<double>{0, 14}));
  EXPECT_EQ(seen.trace.makespan_s, 22);
}

TEST(AnyOrder, TasksThatReduceRunAtOnceAndTheirSumsGoHome) {
  const Seen seen =
      run({{on_0, 4, {Access::reduce}}, {on_1, 3, {Access::reduce}}, {on_0, 1, {Access::read}}});
  // Both sums are complete at 4 and host memory at 14, one after the other; T2 loads until 19.
  EXPECT_EQ(seen.loads_s, (std::vector<double>{14}));
  EXPECT_EQ(seen.trace.makespan_s, 20);
}

/// Home has to hold what they add to.
TEST(AnyOrder, AReductionBeginsWhenWhatWasWrittenIsHome) {
  const Seen seen =
      run({{on_0, 2, {Access::write}}, {on_1, 3, {Access::reduce}}, {on_1, 1, {Access::read}}});
  // T0's data return from 2 to 7, T1 runs until 10, its sum returns until 15, T2 loads until 20.
  EXPECT_EQ(seen.loads_s, (std::vector<double>{15}));
  EXPECT_EQ(seen.trace.makespan_s, 21);
}

/// T1 on GPU 1 overwrites what T0 on GPU 0 read; T2 there needs it again.
TEST(AnyOrder, TellsLoadsAfterAWriteElsewhereFromFirstLoads) {
  const Trace trace =
      run({{on_0, 1, {Access::read}}, {on_1, 1, {Access::read_write}}, {on_0, 1, {Access::read}}})
          .trace;

  EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(trace.loads_first, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(trace.loads_after_invalidation, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(trace.loads_after_eviction, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(trace.invalidations, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(trace.evictions, (std::vector<std::uint64_t>{0, 0}));
}

/// As pairs, the waits between the two large groups would take 40 GB.
TEST(AnyOrder, RunsManyThatCommuteAfterManyThatRead) {
  constexpr std::size_t many = 50'000;
  std::vector<Task> tasks{{on_0, 1, {Access::write}}};
  tasks.insert(tasks.end(), many, Task{on_0, 1, {Access::read}});
  tasks.insert(tasks.end(), many, Task{on_0, 1, {Access::commute}});

  const Trace trace = run(tasks).trace;

  EXPECT_EQ(trace.tasks, (std::vector<std::uint64_t>{1 + 2 * many, 0}));
  EXPECT_EQ(trace.makespan_s, 1 + 2.0 * many);
  EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{0, 0}));
}

}  // namespace
}  // namespace damocles::any_order_test
