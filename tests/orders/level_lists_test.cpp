#include "orders/level_lists.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "models/levels.hpp"

namespace damocles::level_lists_test {
namespace {

using Index = TaskGraph::Index;
using Lists = std::vector<std::vector<Index>>;

constexpr Access in = Access::read;
constexpr Access out = Access::write;

/// Level 0: tasks 0 to 3 make data 0 to 3. Level 1: task 4 reads 0, task 5 reads 3, task 6 reads 1
/// and 2. Level 2: task 7 reads what 4 makes, data 4.
TaskGraph three_levels() {
  TaskGraph::Parts parts;
  parts.bytes = {8, 8, 8, 8, 8};
  for (Index t = 0; t < 4; ++t) parts.add_task(std::vector<Index>{t}, std::vector{out}, 1);
  parts.add_task(std::vector<Index>{0, 4}, std::vector{in, out}, 1);
  parts.add_task(std::vector<Index>{3}, std::vector{in}, 1);
  parts.add_task(std::vector<Index>{1, 2}, std::vector{in, in}, 1);
  parts.add_task(std::vector<Index>{4}, std::vector{in}, 1);
  return TaskGraph(std::move(parts));
}

/// The second half of the tasks, backwards, and the first half.
Lists halves_swapped(const TaskGraph& graph) {
  Lists lists(2);
  const auto tasks = static_cast<Index>(graph.tasks());
  for (Index t = tasks; t-- > tasks / 2;) lists[0].push_back(t);
  for (Index t = 0; t < tasks / 2; ++t) lists[1].push_back(t);
  return lists;
}

TEST(Depths, CountTheTasksOnTheLongestWay) {
  EXPECT_EQ(depths(three_levels()), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 2}));
}

TEST(Depths, AreNothingWhereNobodyWaits) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (int t = 0; t < 3; ++t) parts.add_task(std::vector<Index>{0}, 1);
  EXPECT_EQ(depths(TaskGraph(std::move(parts))), std::vector<std::uint32_t>(3, 0));
}

TEST(LevelLists, GiveAPartToWhoHasMostOfItsData) {
  std::vector<std::size_t> asked;
  const auto lists_of = [&](const TaskGraph& level) {
    asked.push_back(level.tasks());
    return halves_swapped(level);
  };

  const Lists lists = level_lists(three_levels(), 2, lists_of);

  // Level 0 (nobody has anything): part {3, 2} on processor 0, {0, 1} on 1. Level 1: parts {6, 5},
  // of which processor 0 has data 2 and 3, and 1 has data 1; and {4}, of which 1 has data 0. The
  // pair of two data items goes first. Level 2 is one task, so nobody is asked: 1 has made data 4.
  EXPECT_EQ(lists, (Lists{{3, 2, 6, 5}, {0, 1, 4, 7}}));
  EXPECT_EQ(asked, (std::vector<std::size_t>{4, 3}));
}

TEST(LevelLists, ForgetCopiesOfWhatIsWrittenAnew) {
  TaskGraph::Parts parts;  // two tasks read data 0 on two processors, one writes it, one reads it
  parts.bytes = {8, 4};
  parts.add_task(std::vector<Index>{0}, std::vector{in}, 1);
  parts.add_task(std::vector<Index>{0, 1}, std::vector{in, in}, 1);
  parts.add_task(std::vector<Index>{0, 1}, std::vector{out, in}, 1);
  parts.add_task(std::vector<Index>{0}, std::vector{in}, 1);

  const Lists lists = level_lists(TaskGraph(std::move(parts)), 2, halves_swapped);

  // Processor 1 has read data 1, so it writes data 0; then it alone has that.
  EXPECT_EQ(lists, (Lists{{0}, {1, 2, 3}}));
}

}  // namespace
}  // namespace damocles::level_lists_test
