#include "models/runs/task_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace damocles::task_list_test {
namespace {

std::vector<std::uint64_t> listed(const TaskList& list) {
  std::vector<std::uint64_t> tasks;
  list.for_each([&](TaskId task) { tasks.push_back(raw(task)); });
  return tasks;
}

TEST(TaskList, ListsTasksInTheOrderTheyCame) {
  TaskList list;

  list.add(TaskId{7});
  list.add(TaskId{100}, 0b1011);  // 100, 101 and 103
  list.add(TaskId{3});
  list.add(TaskId{64}, std::uint64_t{1} << 63U);

  EXPECT_EQ(listed(list), (std::vector<std::uint64_t>{7, 100, 101, 103, 3, 127}));
  EXPECT_EQ(list.size(), 6U);
  EXPECT_FALSE(list.empty());
}

TEST(TaskList, AddsTheTasksOfAMaskIfThereAreAny) {
  TaskList list;
  list.add(TaskId{1});

  list.reserve(4);
  list.add_any(TaskId{2}, 0);
  list.add_any(TaskId{3}, 1);
  list.add_any(TaskId{4}, 0b101, 10);  // 4 and 24
  list.add_any(TaskId{5}, 0, 10);

  EXPECT_EQ(listed(list), (std::vector<std::uint64_t>{1, 3, 4, 24}));
  EXPECT_EQ(list.size(), 4U);
}

TEST(TaskList, AddsRangesOfAnyLength) {
  for (const std::uint64_t count : {0U, 1U, 63U, 64U, 65U, 128U, 130U}) {
    TaskList list;
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < count; ++i) expected.push_back(10 + i);

    list.add_range(TaskId{10}, count);

    EXPECT_EQ(listed(list), expected) << count;
    EXPECT_EQ(list.size(), count);
    EXPECT_EQ(list.empty(), count == 0);
  }
}

TEST(TaskList, ForgetsAllWhenCleared) {
  TaskList list;
  list.add_range(TaskId{0}, 1000);

  list.clear();

  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.size(), 0U);
  EXPECT_TRUE(listed(list).empty());
  list.add(TaskId{5});
  EXPECT_EQ(listed(list), std::vector<std::uint64_t>{5});
}

TEST(TaskList, GrowsAsNeeded) {
  TaskList list;
  for (std::uint64_t i = 0; i < 5000; ++i) list.add(TaskId{2 * i});

  const auto tasks = listed(list);

  ASSERT_EQ(tasks.size(), 5000U);
  for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(tasks[i], 2 * i);
}

}  // namespace
}  // namespace damocles::task_list_test
