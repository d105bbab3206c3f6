#include "orders/ready_order.hpp"

#include <gtest/gtest.h>

#include "models/workload.hpp"

namespace damocles::ready_order_test {
namespace {

using Order = std::vector<TaskGraph::Index>;

/// Tasks 0 to 4; (task, the one it waits for).
TaskGraph graph_of(std::vector<Dependencies::Wait> waits, std::vector<double> priorities = {}) {
  TaskGraph::Parts parts{.bytes = {1}, .inputs = {}, .flops = {}};
  for (int task = 0; task < 5; ++task) parts.add_task(Order{0}, 1);
  parts.dependencies = std::move(waits);
  parts.priorities = std::move(priorities);
  return TaskGraph(std::move(parts));
}

TEST(ReadyOrder, TakesTasksAsTheyBecomeReady) {
  // 0 and 2 are ready first; 0 releases 3, then 4; 2 releases 1.
  const TaskGraph graph = graph_of({{3, 0}, {4, 0}, {1, 2}});

  EXPECT_EQ(ready_order(graph, ReadyFirst::earliest), (Order{0, 2, 3, 4, 1}));
}

TEST(ReadyOrder, TakesTheHighestPriorityOfThoseReady) {
  const TaskGraph graph = graph_of({{3, 0}, {4, 0}, {1, 2}}, {1, 9, 5, 2, 7});

  EXPECT_EQ(ready_order(graph, ReadyFirst::highest_priority), (Order{2, 1, 0, 4, 3}));
}

TEST(ReadyOrder, IsTheOrderOfSubmissionWhereNobodyWaits) {
  EXPECT_EQ(ready_order(graph_of({}), ReadyFirst::earliest), (Order{0, 1, 2, 3, 4}));
  EXPECT_EQ(ready_order(graph_of({}), ReadyFirst::highest_priority), (Order{0, 1, 2, 3, 4}));
}

TEST(Chain, IsOneTaskAfterTheOther) {
  EXPECT_TRUE(is_chain(graph_of({{1, 0}, {2, 1}, {3, 2}, {4, 3}, {4, 0}})));
  EXPECT_TRUE(is_chain(graph_of({{3, 4}, {2, 3}, {1, 2}, {0, 1}})));
  EXPECT_FALSE(is_chain(graph_of({{1, 0}, {2, 1}, {3, 2}, {4, 2}})));
  EXPECT_FALSE(is_chain(graph_of({})));
}

}  // namespace
}  // namespace damocles::ready_order_test
