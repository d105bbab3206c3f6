// The rules of lists of tasks that wait for others, by hand: a task that six wait for.

#include "strategies/parts/level_by_level.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/strategies/fan.hpp"

namespace damocles::level_by_level_test {
namespace {

using Index = TaskGraph::Index;

class Lists {
 public:
  /// Task 0; tasks 1 to 6 wait for it, each with a data item of 1 B of its own, 6 with one of 2 B.
  /// Task 7 waits for 1.
  explicit Lists(const std::vector<std::vector<Index>>& lists, const ListRules& rules,
                 const std::vector<double>& priorities = {})
      : workload_(Workload::of_graph("seven", TaskGraph(graph(priorities)))),
        memory_(2, workload_.data()),
        strategy_(
            StrategyContext{
                workload_, platform_, memory_, spec_, Rng(1, Draw::strategy, 0), {9, 9}},
            lists, rules) {
    strategy_.on_ready(TaskId{0});
  }

  LevelByLevel& operator*() { return strategy_; }
  NodeMemory& memory() { return memory_; }

  /// What the processor is granted, of so many requests.
  TaskIds granted(std::uint32_t processor, int requests = 9) {
    TaskIds result;
    for (; requests > 0; --requests) {
      Grant grant;
      strategy_.request(ProcessorId{processor}, grant);
      if (grant.tasks.empty()) break;
      grant.tasks.for_each([&](TaskId task) { result.push_back(raw(task)); });
      hints.clear();
      for (const DataId data : grant.loads) hints.push_back(raw(data));
    }
    return result;
  }
  void make_ready(const std::vector<std::uint64_t>& tasks) {
    for (const std::uint64_t task : tasks) strategy_.on_ready(TaskId{task});
  }

  TaskIds hints;  ///< of the latest grant

 private:
  static TaskGraph::Parts graph(const std::vector<double>& priorities) {
    TaskGraph::Parts parts;
    parts.bytes = {1, 1, 1, 1, 1, 1, 2, 1};
    for (Index task = 0; task < 8; ++task) {
      parts.add_task(std::vector<Index>{task}, 1);
      if (task > 0) parts.dependencies.emplace_back(task, task < 7 ? 0 : 1);
    }
    parts.priorities = priorities;
    return parts;
  }

  Platform platform_ = two_gpus();
  Spec spec_ = Spec::parse("hfp", "strategy");
  Workload workload_;
  NodeMemory memory_;
  LevelByLevel strategy_;
};

constexpr ListRules in_order{.ready = 1, .steal = true};

TEST(LevelByLevel, GrantsWhatIsReadyInTheOrderOfTheList) {
  Lists lists({{0, 3, 1, 2, 7}, {6, 5, 4}}, in_order);

  EXPECT_EQ(lists.granted(0), (TaskIds{0}));
  EXPECT_TRUE((*lists).exhausted());
  lists.make_ready({1, 2, 3, 4, 5, 6});
  EXPECT_FALSE((*lists).exhausted());

  EXPECT_EQ(lists.granted(0, 2), (TaskIds{3, 1}));
  lists.make_ready({7});
  EXPECT_EQ(lists.granted(0, 2), (TaskIds{2, 7}));  // the level before goes first
  EXPECT_EQ(lists.granted(1), (TaskIds{6, 5, 4}));
}

TEST(LevelByLevel, TakesFromOthersOnlyWhenItsListHasRunOut) {
  Lists lists({{0, 1, 2, 3, 4, 5}, {6, 7}}, in_order);
  lists.granted(0);
  lists.make_ready({1, 2, 3, 4, 5, 6});

  EXPECT_EQ(lists.granted(1), (TaskIds{6}));  // 7 is its own and waits
  lists.make_ready({7});
  // Its list has run out: of 5 it takes the last 2, then of 3 the last 1, of 2 one; not the last.
  EXPECT_EQ(lists.granted(1), (TaskIds{7, 4, 5, 3, 2}));
  EXPECT_EQ(lists.granted(0), (TaskIds{1}));
}

TEST(LevelByLevel, TakesNothingWhereItMayNot) {
  Lists lists({{0, 1, 2, 3, 4, 5, 6, 7}, {}}, {.ready = 1});
  lists.make_ready({1, 2, 3});

  EXPECT_EQ(lists.granted(1), TaskIds{});
}

TEST(LevelByLevel, TakesOfThoseInViewWhatLacksLeastThenTheHighestPriority) {
  Lists lists({{0, 6, 1, 2, 3, 4, 5, 7}, {}}, {.ready = 4, .steal = true, .prefetch = true},
              {0, 1, 5, 5, 9, 9, 0, 0});
  lists.granted(0);
  lists.make_ready({1, 2, 3, 4, 5, 6});

  // In view 6 (lacks 2), 1, 2, 3: of priority 5 the first.
  EXPECT_EQ(lists.granted(0, 1), (TaskIds{2}));
  EXPECT_EQ(lists.hints, (TaskIds{6, 1, 3, 4}));  // what the next in view lack
  // 4 came in view: the highest priority; then 5. What is there beats both.
  lists.memory().load(ProcessorId{0}, DataId{6});
  EXPECT_EQ(lists.granted(0, 3), (TaskIds{6, 4, 5}));
}

TEST(LevelByLevel, KnowsWhereItsListUsesADataNext) {
  Lists lists({{0, 2, 1, 7}, {6, 5, 4, 3}}, in_order);
  const auto use = [&](std::uint32_t p, std::uint64_t data) {
    return (*lists).next_use(ProcessorId{p}, DataId{data});
  };

  EXPECT_LT(use(0, 2), use(0, 1));
  EXPECT_LT(use(0, 1), use(0, 7));
  EXPECT_EQ(use(0, 6), Strategy::never);
  EXPECT_LT(use(1, 6), use(1, 3));
  lists.granted(0);
  lists.make_ready({2});
  EXPECT_EQ((*lists).reserved_uses(ProcessorId{0}, DataId{2}), 1U);
  EXPECT_EQ(lists.granted(0), (TaskIds{2}));
  EXPECT_EQ((*lists).reserved_uses(ProcessorId{0}, DataId{2}), 0U);
  EXPECT_EQ(use(0, 2), Strategy::never);
}

}  // namespace
}  // namespace damocles::level_by_level_test
