// When a task gets room for what it writes, and which copies leave for it.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "sim/limited_run.hpp"
#include "tests/sim/one_gpu.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::room_test {
namespace {

using Index = TaskGraph::Index;

Trace run(TaskGraph::Parts parts, std::uint64_t memory_bytes, const std::string& strategy) {
  const Workload workload = Workload::of_graph("by hand", TaskGraph(std::move(parts)));
  return simulate_limited(workload, one_gpu(memory_bytes),
                          StrategyChoice::parse(strategy, workload), 1, 0);
}

TEST(Room, IsSoughtForAnOutputWhenItsTaskIsTaken) {
  TaskGraph::Parts parts;  // three tasks of 10 s that each make 10 B, two of which have room
  parts.bytes = {10, 10, 10};
  for (Index task = 0; task < 3; ++task) {
    parts.add_task(std::vector{task}, std::vector{Access::write}, 10);
  }
  for (const auto* strategy : {"eager", "eager:patient=true", "prio", "dmda"}) {
    // The third task is taken at 10, when the first ends. The first result then goes to host
    // memory, until 20, while the second task runs.
    EXPECT_DOUBLE_EQ(run(parts, 20, strategy).makespan_s, 30) << strategy;
  }
}

/// A task of 10 s that makes 10 B, then three of 10 s that each read 10 B; room for three data
/// items.
TaskGraph::Parts one_written_three_read() {
  TaskGraph::Parts parts;
  parts.bytes = {10, 10, 10, 10};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 10);
  for (Index task = 1; task < 4; ++task) {
    parts.add_task(std::vector{task}, std::vector{Access::read}, 10);
  }
  return parts;
}

TEST(Room, IsMadeByAModifiedCopyUnderLru) {
  // At 20 the result of the first task is the least recently used. It goes to host memory until 30,
  // the last input is loaded until 40, and the last task runs until 50.
  EXPECT_DOUBLE_EQ(run(one_written_three_read(), 30, "eager:eviction=lru").makespan_s, 50);
}

TEST(Room, IsMadeByAnUnmodifiedCopyUnderLruClean) {
  // At 20 the input of the second task leaves at once: the last input is loaded until 30.
  EXPECT_DOUBLE_EQ(run(one_written_three_read(), 30, "eager:eviction=lru-clean").makespan_s, 40);
}

TEST(Room, OfAnotherSizeIsMadeAsUnderLru) {
  // The unmodified copies are of 10 B, and 20 B are sought: the oldest copies leave in their order,
  // the modified one first.
  auto parts = one_written_three_read();
  parts.bytes[3] = 20;
  const auto lru = run(parts, 30, "eager:eviction=lru");
  const auto clean = run(parts, 30, "eager:eviction=lru-clean");
  EXPECT_EQ(clean.makespan_s, lru.makespan_s);
}

/// Two tasks of kind P of 10 s; the second reads 5 B.
TEST(SynchronousKernel, KeepsItsDriverFromAskingForCopies) {
  TaskGraph::Parts parts;
  parts.bytes = {5, 5};
  parts.kind_names = {"P", "Q"};
  parts.task_kinds = {0, 0};
  parts.add_task(std::vector<Index>{0}, 10);
  parts.add_task(std::vector<Index>{1}, 10);
  const Workload workload = Workload::of_graph("by hand", TaskGraph(std::move(parts)));
  Platform platform = one_gpu(100);
  const auto makespan_s = [&] {
    return simulate_limited(workload, platform, StrategyChoice::parse("eager", workload), 1, 0)
        .makespan_s;
  };
  // Each input takes 5 s. The second travels while the first task computes, or after it.
  EXPECT_DOUBLE_EQ(makespan_s(), 5 + 10 + 10);
  platform.machine->synchronous = {"P"};
  EXPECT_DOUBLE_EQ(makespan_s(), 5 + 10 + 5 + 10);
  platform.machine->synchronous = {"Q"};
  EXPECT_DOUBLE_EQ(makespan_s(), 5 + 10 + 10);
}

}  // namespace
}  // namespace damocles::room_test
