// Lists of tasks by priority: who leaves a list first, worked out by hand.

#include "strategies/parts/priority_lists.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace damocles::priority_lists_test {
namespace {

using Index = PriorityLists::Index;
constexpr ProcessorId owner{0};

/// Tasks of these priorities, each with data of its own.
TaskGraph graph_of(const std::vector<double>& priorities) {
  TaskGraph::Parts parts;
  parts.bytes.assign(priorities.size(), 1);
  for (Index task = 0; task < priorities.size(); ++task) {
    parts.add_task(std::vector<Index>{task}, 1);
  }
  parts.priorities = priorities;
  return TaskGraph(std::move(parts));
}

/// What leaves the list of all tasks, of those with may(task), until none is left.
template <typename May>
std::vector<Index> taken(const TaskGraph& graph, PriorityLists::Order order, May&& may) {
  PriorityLists lists(graph, 1, order);
  for (Index task = 0; task < graph.tasks(); ++task) lists.push(owner, task);
  std::vector<Index> result;
  while (const auto task = lists.take_last_of_highest_if(owner, may)) result.push_back(*task);
  return result;
}

TEST(PriorityLists, TakesTheLastPushedTaskOfTheHighestPriorityThatMayGo) {
  const TaskGraph graph = graph_of({1, 5, 5, 0, 1});
  const auto by_priority = PriorityLists::Order::by_priority;

  EXPECT_EQ(taken(graph, by_priority, [](Index) { return true; }),
            (std::vector<Index>{2, 1, 4, 0, 3}));
  EXPECT_EQ(taken(graph, by_priority, [](Index task) { return task != 2; }),
            (std::vector<Index>{1, 4, 0, 3}));
  EXPECT_EQ(taken(graph, by_priority, [](Index task) { return task == 0 || task == 3; }),
            (std::vector<Index>{0, 3}));
  EXPECT_EQ(taken(graph, by_priority, [](Index) { return false; }), std::vector<Index>{});
}

TEST(PriorityLists, TakesTheLastPushedTaskOfAllWhereThereIsNoPriority) {
  EXPECT_EQ(taken(graph_of({1, 5, 5, 0, 1}), PriorityLists::Order::as_they_came,
                  [](Index) { return true; }),
            (std::vector<Index>{4, 3, 2, 1, 0}));
}

}  // namespace
}  // namespace damocles::priority_lists_test
