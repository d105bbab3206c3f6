#include "strategies/parts/fixed_lists.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

namespace damocles::fixed_lists_test {
namespace {

using Index = TaskGraph::Index;
using Tasks = std::vector<Index>;

constexpr ProcessorId p0{0};
constexpr ProcessorId p1{1};

/// Five tasks; task i reads data i and data 5.
const TaskGraph& graph() {
  static const TaskGraph five = [] {
    TaskGraph::Parts parts;
    parts.bytes.assign(6, 1);
    for (Index task = 0; task < 5; ++task) parts.add_task(Tasks{task, 5}, 1);
    return TaskGraph(std::move(parts));
  }();
  return five;
}

Tasks ready_ahead(const FixedLists& lists, ProcessorId processor, std::size_t view) {
  Tasks result;
  lists.for_each_ready_while(processor, view, [&](Index task) {
    result.push_back(task);
    return true;
  });
  return result;
}

TEST(FixedLists, GiveTheNextTaskOnlyWhenItIsReady) {
  FixedLists lists(graph(), {{3, 0, 4}, {1, 2}});

  EXPECT_EQ(lists.take(p0), std::nullopt);
  EXPECT_EQ(lists.make_ready(0), p0);
  EXPECT_EQ(lists.make_ready(2), p1);
  EXPECT_EQ(lists.take(p0), std::nullopt);  // 3 comes first
  EXPECT_EQ(lists.make_ready(3), p0);
  EXPECT_EQ(lists.take(p0), 3U);
  EXPECT_EQ(lists.take(p0), 0U);
  EXPECT_EQ(lists.take(p0), std::nullopt);
  EXPECT_EQ(lists.take(p1), std::nullopt);
  lists.make_ready(4);
  EXPECT_EQ(lists.take(p0), 4U);
  EXPECT_EQ(lists.take(p0), std::nullopt);  // the list is over
}

TEST(FixedLists, ShowWhatIsReadyAmongTheNextTasks) {
  FixedLists lists(graph(), {{3, 0, 4, 1, 2}, {}});
  for (const Index task : {0U, 1U, 2U}) lists.make_ready(task);

  EXPECT_EQ(ready_ahead(lists, p0, 5), (Tasks{0, 1, 2}));
  EXPECT_EQ(ready_ahead(lists, p0, 4), (Tasks{0, 1}));
  EXPECT_EQ(ready_ahead(lists, p1, 5), Tasks{});
  lists.make_ready(3);
  lists.take(p0);
  EXPECT_EQ(ready_ahead(lists, p0, 2), Tasks{0});  // 0 and 4
}

TEST(FixedLists, CountReadyTasksThatAccessADataUntilTheyAreTaken) {
  FixedLists lists(graph(), {{3, 0}, {1, 2, 4}});
  EXPECT_EQ(lists.uses(p0, 5), 0U);
  for (const Index task : {0U, 3U, 1U}) lists.make_ready(task);

  EXPECT_EQ(lists.uses(p0, 5), 2U);
  EXPECT_EQ(lists.uses(p0, 3), 1U);
  EXPECT_EQ(lists.uses(p1, 5), 1U);
  lists.take(p0);
  EXPECT_EQ(lists.uses(p0, 5), 1U);
  EXPECT_EQ(lists.uses(p0, 3), 0U);
}

/// Task 0 stands before task 1, and waits for its turn until that has ended.
TEST(FixedLists, GiveWhoHasItsTurnWhereTasksCommute) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (int task = 0; task < 2; ++task) parts.add_task(Tasks{0}, std::vector{Access::commute}, 1);
  const TaskGraph commuting(std::move(parts));
  FixedLists lists(commuting, {{0, 1}});
  EXPECT_EQ(lists.take(p0), std::nullopt);
  lists.make_ready(1);
  EXPECT_EQ(ready_ahead(lists, p0, 1), Tasks{});  // it is not the next one
  EXPECT_EQ(ready_ahead(lists, p0, 2), Tasks{1});
  EXPECT_EQ(lists.take(p0), 1U);
  lists.make_ready(0);
  EXPECT_EQ(lists.take(p0), 0U);
  EXPECT_EQ(lists.take(p0), std::nullopt);
}

}  // namespace
}  // namespace damocles::fixed_lists_test
