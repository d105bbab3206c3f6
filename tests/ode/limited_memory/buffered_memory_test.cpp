// What a memory loads that is filled ahead of its processor.

#include "ode/limited_memory/buffered_memory.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace damocles::buffered_memory_test {
namespace {

using Index = TaskGraph::Index;

/// Tasks of one input each, in this order.
TaskGraph tasks_that_read(std::initializer_list<Index> items, std::size_t data) {
  TaskGraph::Parts parts;
  parts.bytes.assign(data, 1);
  for (const Index item : items) parts.add_task(std::vector<Index>{item}, 1);
  return TaskGraph(std::move(parts));
}

LimitedRun run_of(const TaskGraph& graph, std::size_t memory) {
  LimitedRun run;
  run.graph = &graph;
  run.memory = memory;
  return run;
}

BufferedMemory with_tasks_taken(const LimitedRun& run) {
  BufferedMemory memory(run);
  for (Index task = 0; task < run.graph->tasks(); ++task) memory.take(task);
  return memory;
}

TEST(BufferedMemory, WaitsRatherThanEvictWhatABufferedTaskReads) {
  const TaskGraph graph = tasks_that_read({0, 1, 2}, 3);
  const LimitedRun run = run_of(graph, 2);
  BufferedMemory memory = with_tasks_taken(run);

  EXPECT_EQ(memory.request(3)->needed, 1U);
  EXPECT_EQ(memory.request(3)->needed, 1U);
  EXPECT_FALSE(memory.request(3));  // the running task reads 0, the next one 1
  // The first has ended, so 0 goes.
  EXPECT_EQ(memory.request(2)->needed, 1U);
  EXPECT_FALSE(memory.holds(0));
  EXPECT_TRUE(memory.holds(1));
}

TEST(BufferedMemory, SparesWhatALaterTaskReadsUnlessTheNextTaskNeedsRoom) {
  const TaskGraph graph = tasks_that_read({0, 1, 2, 3, 0}, 4);
  const LimitedRun run = run_of(graph, 3);
  BufferedMemory memory = with_tasks_taken(run);

  for (int task = 0; task < 3; ++task) EXPECT_EQ(memory.request(5)->needed, 1U);
  EXPECT_FALSE(memory.request(4));           // task 3 is not the next one, and the last one reads 0
  EXPECT_EQ(memory.request(3)->needed, 1U);  // now it is; 0 was read the longest ago
  EXPECT_FALSE(memory.holds(0));
  EXPECT_EQ(memory.request(3)->needed, 1U);
  EXPECT_FALSE(memory.holds(1));
}

TEST(BufferedMemory, LoadsAheadWhereNoBufferedTaskIsInTheWay) {
  const TaskGraph graph = tasks_that_read({0, 1}, 3);
  const LimitedRun run = run_of(graph, 2);
  BufferedMemory memory = with_tasks_taken(run);
  (void)memory.request(2);
  (void)memory.request(2);

  EXPECT_FALSE(memory.has_room_ahead(2));
  EXPECT_TRUE(memory.has_room_ahead(1));
  memory.load_ahead(2, 1);
  EXPECT_TRUE(memory.holds(2));
  EXPECT_FALSE(memory.holds(0));
}

TEST(BufferedMemory, EvictsWhatIsUsedFarthestAhead) {
  const TaskGraph graph = tasks_that_read({0, 1, 2, 3}, 4);
  const LimitedRun run = run_of(graph, 2);
  BufferedMemory memory(run, BufferedMemory::Evicts::used_farthest_ahead);
  for (const auto& [item, use] : {std::pair{0U, 9U}, {1U, 5U}, {2U, 7U}}) {
    memory.set_next_use(item, use);
  }
  for (Index task = 0; task < 4; ++task) {
    memory.take(task);
    EXPECT_EQ(memory.request(1)->needed, 1U);
  }
  // 2 came in the place of 0, which is used at 9, and 3 in that of 2.
  EXPECT_TRUE(memory.holds(1));
  EXPECT_TRUE(memory.holds(3));
}

TEST(BufferedMemory, LoadsAheadInThePlaceOfWhatIsUsedNoMore) {
  const TaskGraph graph = tasks_that_read({0}, 2);
  const LimitedRun run = run_of(graph, 1);
  BufferedMemory memory(run, BufferedMemory::Evicts::used_farthest_ahead);
  memory.take(0);
  memory.set_next_use(0, 3);
  (void)memory.request(1);

  EXPECT_FALSE(memory.has_room_ahead(0));
  memory.set_next_use(0, FarthestUse::never);
  EXPECT_FALSE(memory.has_room_ahead(1));  // the running task reads it
  EXPECT_TRUE(memory.has_room_ahead(0));
  memory.load_ahead(1, 0);
  EXPECT_FALSE(memory.holds(0));
}

}  // namespace
}  // namespace damocles::buffered_memory_test
