#include "ode/limited_memory/viewed_list.hpp"

#include <gtest/gtest.h>

#include "models/workload.hpp"

namespace damocles::viewed_list_test {
namespace {

/// Task (i, j) of three rows and three columns is 3 i + j; it reads a_i and b_j.
class ViewedLists : public ::testing::Test {
 protected:
  LimitedRun run(std::size_t memory, const std::string& eviction) {
    return {.graph = &grid_.graph(), .memory = memory, .eviction = eviction};
  }

 private:
  Workload grid_ = Workload::parse("gemm2d:n=3");
};

TEST_F(ViewedLists, GiveTheTaskInViewThatLacksLeast) {
  const LimitedRun machine = run(6, "lru");
  ViewedList list(machine, {0, 4, 1}, {.tasks = 3});
  EXPECT_EQ(list.take(0), (TaskLoads{.task = 0, .needed = 2}));
  EXPECT_EQ(list.take(0), (TaskLoads{.task = 1, .needed = 1}));
  EXPECT_EQ(list.take(0), (TaskLoads{.task = 4, .needed = 1}));
  ViewedList narrow(machine, {0, 4, 1}, {.tasks = 1});
  (void)narrow.take(0);
  EXPECT_EQ(narrow.take(0).task, 4U);
}

TEST_F(ViewedLists, EvictWhatIsReadLastOrWasReadFirst) {
  // b_0 is read again by the fourth task, b_1 by none.
  for (const auto& [eviction, loads] : {std::pair{"belady", 1U}, std::pair{"lru", 2U}}) {
    const LimitedRun machine = run(3, eviction);
    ViewedList list(machine, {0, 1, 2, 3}, {.tasks = 1});
    for (int task = 0; task < 3; ++task) (void)list.take(0);
    EXPECT_EQ(list.take(0).needed, loads) << eviction;
  }
}

TEST_F(ViewedLists, SpareWhatUnfinishedTasksRead) {
  // For b_2, b_1 may go, which nobody reads again, unless its task has not ended.
  const LimitedRun machine = run(3, "belady");
  ViewedList list(machine, {0, 1, 2, 3}, {.tasks = 1});
  (void)list.take(0);
  (void)list.take(0);
  (void)list.take(1);
  EXPECT_EQ(list.take(0).needed, 2U);
}

TEST_F(ViewedLists, LoadAheadWhatComesInView) {
  const LimitedRun machine = run(4, "lru");
  ViewedList list(machine, {0, 4, 8}, {.tasks = 1});
  (void)list.take(0);
  EXPECT_TRUE(list.load_ahead(1));
  EXPECT_TRUE(list.load_ahead(1));
  EXPECT_FALSE(list.load_ahead(1));
  list.ahead_came();
  EXPECT_EQ(list.take(0), (TaskLoads{.task = 4}));
  EXPECT_TRUE(list.load_ahead(1));  // in place of what the first task read
  EXPECT_TRUE(list.load_ahead(1));
  // The last of them is on its way.
  EXPECT_EQ(list.take(1), (TaskLoads{.task = 8, .awaits_ahead = true}));
}

TEST_F(ViewedLists, CountWhatIsOnItsWayAsTheViewSays) {
  // While a_1 is loaded ahead, task 1 lacks b_1, and task 3 nothing or a_1.
  for (const auto& [ahead, came, first] : {std::tuple{ListView::Ahead::in_view, false, 3U},
                                           std::tuple{ListView::Ahead::once_in_view, false, 1U},
                                           std::tuple{ListView::Ahead::once_in_view, true, 3U}}) {
    const LimitedRun machine = run(6, "lru");
    ViewedList list(machine, {0, 4, 1, 3}, {.tasks = 4, .ahead = ahead});
    (void)list.take(0);
    ASSERT_TRUE(list.load_ahead(1));
    if (came) list.ahead_came();
    EXPECT_EQ(list.take(1).task, first);
  }
}

TEST_F(ViewedLists, TakeTasksThatComeLater) {
  const LimitedRun machine = run(6, "lru");
  ViewedList list(machine, {}, {.tasks = 2});
  EXPECT_EQ(list.left(), 0U);
  list.append(8);
  list.append(0);
  EXPECT_EQ(list.left(), 2U);
  EXPECT_EQ(list.take(0), (TaskLoads{.task = 8, .needed = 2}));
}

TEST_F(ViewedLists, LoadAheadOnceOrAgain) {
  // The last task reads a_1, which never came, and b_0, which was evicted.
  for (const auto& [ahead, loads] :
       {std::pair{ListView::Ahead::once_in_view, 1}, std::pair{ListView::Ahead::in_view, 2}}) {
    const LimitedRun machine = run(2, "lru");
    ViewedList list(machine, {0, 8, 2, 3}, {.tasks = 4, .ahead = ahead});
    for (const TaskGraph::Index task : {0, 2, 8}) EXPECT_EQ(list.take(0).task, task);
    int loaded = 0;
    while (list.load_ahead(0)) ++loaded;
    EXPECT_EQ(loaded, loads);
  }
}

TEST_F(ViewedLists, SpareWhatTheListReadsOutOfView) {
  // Of what task 0 read, a_0 is read again by the last task, which is out of view.
  for (const auto& [spares_list, loads] : {std::pair{false, 2}, std::pair{true, 1}}) {
    const LimitedRun machine = run(2, "lru");
    ViewedList list(machine, {0, 4, 2},
                    {.tasks = 1, .ahead = ListView::Ahead::in_view, .spares_list = spares_list});
    (void)list.take(0);
    int loaded = 0;
    while (list.load_ahead(0)) ++loaded;
    EXPECT_EQ(loaded, loads);
  }
}

TEST_F(ViewedLists, StealHalfFromTheEnd) {
  const LimitedRun machine = run(6, "belady");
  ViewedList robbed(machine, {0, 1, 2}, {.tasks = 1});
  ViewedList thief(machine, {}, {.tasks = 1});
  thief.steal_from(robbed);
  EXPECT_EQ(robbed.left(), 1U);
  EXPECT_EQ(robbed.take(0).task, 0U);
  EXPECT_EQ(thief.take(0).task, 1U);
  EXPECT_EQ(thief.take(0).task, 2U);
}

TEST_F(ViewedLists, KeepWhatTheThiefHoldsForStolenTasks) {
  // It holds a_0, b_0, a_1 and b_1, and steals a task that reads two of them and one that reads
  // none.
  const LimitedRun machine = run(4, "belady");
  ViewedList robbed(machine, {2, 1, 8}, {.tasks = 1});
  ViewedList thief(machine, {0, 4}, {.tasks = 1});
  (void)thief.take(0);
  (void)thief.take(0);
  thief.steal_from(robbed);
  EXPECT_EQ(thief.take(0), (TaskLoads{.task = 1}));
  EXPECT_EQ(thief.take(0), (TaskLoads{.task = 8, .needed = 2}));
}

}  // namespace
}  // namespace damocles::viewed_list_test
