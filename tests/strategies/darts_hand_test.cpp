#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "strategies/registry.hpp"

namespace damocles::darts_hand_test {
namespace {

using Index = TaskGraph::Index;
using Tasks = std::vector<std::vector<Index>>;

constexpr ProcessorId gpu{0};

/// One processor's DARTS, asked by hand.
class Hand {
 public:
  Hand(const Tasks& tasks, std::size_t data, const std::string& choice, std::uint64_t seed)
      : workload_(Workload::of_graph("by hand", graph(tasks, data))),
        platform_{{1.0}, 0},
        memory_(1, data),
        choice_(StrategyChoice::parse(choice, workload_)),
        strategy_(choice_.make(
            {workload_, platform_, memory_, choice_.spec, Rng(seed, Draw::strategy, 0)})) {}

  /// The task granted, which loads what it lacks and starts; none where there is no task.
  std::optional<Index> ask() {
    Grant grant;
    strategy_->request(gpu, grant);
    std::optional<Index> granted;
    grant.tasks.for_each([&](TaskId task) { granted = static_cast<Index>(raw(task)); });
    if (!granted) return granted;
    for (const Index input : workload_.graph().inputs(*granted)) load(input);
    strategy_->on_started(gpu, TaskId{*granted});
    return granted;
  }
  void load(Index data) {
    if (memory_.load(gpu, DataId{data})) strategy_->on_loaded(gpu, DataId{data});
  }
  void evict(Index data) {
    memory_.evict(gpu, DataId{data});
    strategy_->on_evicted(gpu, DataId{data});
  }
  Strategy& strategy() { return *strategy_; }

 private:
  static TaskGraph graph(const Tasks& tasks, std::size_t data) {
    TaskGraph::Parts parts;
    parts.bytes.assign(data, 1);
    for (const auto& inputs : tasks) parts.add_task(inputs, 1);
    return TaskGraph(std::move(parts));
  }

  Workload workload_;
  Platform platform_;
  NodeMemory memory_;
  StrategyChoice choice_;
  std::unique_ptr<Strategy> strategy_;
};

/// Calls check(seed): what is by hand must not hang on the random orders.
template <typename Check>
void for_seeds(Check&& check) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    check(seed);
  }
}

constexpr Index A = 0;
constexpr Index B = 1;
constexpr Index C = 2;
constexpr Index D = 3;
constexpr Index E = 4;
constexpr Index F = 5;
constexpr Index G = 6;

TEST(DartsByHand, WalksA3By3Product) {
  Tasks tasks;
  for (Index t = 0; t < 9; ++t) tasks.push_back({t / 3, 3 + t % 3});
  for_seeds([&](std::uint64_t seed) {
    Hand hand(tasks, 6, "darts", seed);
    std::vector<std::vector<Index>> at;  // row and column of the tasks, in order

    while (const auto task = hand.ask()) at.push_back({*task / 3, *task % 3});

    ASSERT_EQ(at.size(), 9U);
    // The first task is any. Each other row or column frees one, and has three users left: any. Let
    // the second task share side s with the first (0: the row, and its new data is a column).
    const std::size_t s = at[1][0] == at[0][0] ? 0 : 1;
    EXPECT_EQ(at[1][s], at[0][s]);
    EXPECT_NE(at[1][1 - s], at[0][1 - s]);
    // With one row and two columns in view another row frees two tasks, the third column one.
    EXPECT_NE(at[2][s], at[0][s]);
    EXPECT_EQ(at[3][s], at[2][s]);
    EXPECT_EQ((std::set{at[2][1 - s], at[3][1 - s]}), (std::set{at[0][1 - s], at[1][1 - s]}));
    // 2 x 2 are done: the last row and the last column free two each and have three users. Then
    // the last data item frees all that is left, three tasks.
    const std::size_t last = at[4][0] == at[5][0] ? 0 : 1;
    for (const std::size_t k : {4U, 5U}) {
      for (std::size_t before = 0; before < 4; ++before) {
        EXPECT_NE(at[k][last], at[before][last]);
      }
    }
    for (const std::size_t k : {6U, 7U, 8U}) EXPECT_EQ(at[k][1 - last], at[6][1 - last]);
  });
}

TEST(DartsByHand, LoadsTheDataThatFreesMostTasks) {
  // With A in memory B frees task 0, and C frees 1 and 2, though more tasks read B.
  for_seeds([](std::uint64_t seed) {
    Hand hand({{A, B}, {A, C}, {A, C}, {B, D}, {B, E}, {B, F}}, 6, "darts", seed);
    hand.load(A);

    EXPECT_EQ(hand.ask(), 1U);
    EXPECT_EQ(hand.ask(), 2U);
    EXPECT_EQ(hand.ask(), 0U);  // then B alone frees anything
  });
}

TEST(DartsByHand, BreaksTiesByTasksLeftThatReadTheData) {
  // B and C free one task each; C is read by two.
  for_seeds([](std::uint64_t seed) {
    Hand hand({{A, B}, {A, C}, {C, D}}, 4, "darts", seed);
    hand.load(A);

    EXPECT_EQ(hand.ask(), 1U);
  });
}

TEST(DartsByHand, CountsOnlyTasksThatAreLeft) {
  // Of B's three users two are done before B is compared with C, which has two users left.
  for_seeds([](std::uint64_t seed) {
    Hand hand({{A, B}, {A, C}, {B, D}, {B, D}, {C, E}}, 5, "darts", seed);
    hand.load(B);
    EXPECT_EQ(hand.ask(), 2U);  // D frees two tasks, A one
    EXPECT_EQ(hand.ask(), 3U);
    hand.evict(B);
    hand.load(A);

    EXPECT_EQ(hand.ask(), 1U);  // C: one freed, two left; B: one freed, one left
  });
}

TEST(DartsByHand, PlansTasksThatLackNothingBeforeItLoads) {
  // Data loaded for others make tasks 0 and 3 free; D would free two more.
  for_seeds([](std::uint64_t seed) {
    Hand hand({{A, B}, {A, D}, {A, D}, {B, C}}, 4, "darts", seed);
    for (const Index data : {A, C, B}) hand.load(data);

    EXPECT_EQ(hand.ask(), 0U);
    EXPECT_EQ(hand.ask(), 3U);
    EXPECT_EQ(hand.ask(), 1U);
  });
}

TEST(DartsByHand, TakesBackPlannedTasksThatLoseAnInput) {
  // B frees tasks 0, 1 and 2; 0 is granted, 1 and 2 are planned when A leaves (Alg. 6, line 8).
  for_seeds([](std::uint64_t seed) {
    Hand luf({{A, B}, {A, B}, {A, B}, {B, C}, {B, C}, {B, C}}, 3, "darts", seed);
    luf.load(A);
    EXPECT_EQ(luf.ask(), 0U);
    EXPECT_EQ(luf.strategy().reserved_uses(gpu, DataId{A}), 2U);

    luf.evict(A);

    EXPECT_EQ(luf.strategy().reserved_uses(gpu, DataId{A}), 0U);
    EXPECT_EQ(luf.strategy().reserved_uses(gpu, DataId{B}), 0U);
    EXPECT_EQ(luf.ask(), 3U);  // C frees three tasks, A two
  });
}

TEST(DartsByHand, KeepsPlannedTasksUnderOtherPolicies) {
  for_seeds([](std::uint64_t seed) {
    Hand lru({{A, B}, {A, B}, {A, B}, {B, C}, {B, C}, {B, C}}, 3, "darts:eviction=lru", seed);
    lru.load(A);
    EXPECT_EQ(lru.ask(), 0U);

    lru.evict(A);

    EXPECT_EQ(lru.strategy().reserved_uses(gpu, DataId{A}), 2U);
    EXPECT_EQ(lru.strategy().next_use(gpu, DataId{A}), 0U);
    EXPECT_EQ(lru.strategy().next_use(gpu, DataId{C}), Strategy::never);
    EXPECT_EQ(lru.ask(), 1U);
  });
}

TEST(DartsByHand, LooksOneLoadFurtherWithThreeInputs) {
  // With A in memory no load frees a task. B brings tasks 0 and 1 within one load; E would bring
  // three, but those have nothing in memory.
  const Tasks tasks{{A, B, C}, {A, B, D}, {E, F}, {E, G}, {E, G}};
  for_seeds([&](std::uint64_t seed) {
    Hand hand(tasks, 7, "darts:inputs=3", seed);
    hand.load(A);

    EXPECT_EQ(hand.ask(), 0U);
    EXPECT_EQ(hand.ask(), 1U);  // D frees it
  });
}

TEST(DartsByHand, TakesAnyTaskWhereNothingIsFree) {
  const Tasks tasks{{A, B, C}, {A, B, D}, {E, F}, {E, G}, {E, G}};
  std::set<Index> first;
  for_seeds([&](std::uint64_t seed) {
    Hand hand(tasks, 7, "darts", seed);
    hand.load(A);
    first.insert(*hand.ask());
  });
  EXPECT_EQ(first.size(), tasks.size());  // by chance a task is never first: (4/5)^20 = 1 %
}

TEST(DartsByHand, IsExhaustedWhenNothingIsOpenOrPlanned) {
  // A frees both tasks: one is granted, one stays planned for the only processor.
  Hand hand({{A}, {A}}, 1, "darts", 1);
  EXPECT_FALSE(hand.strategy().exhausted());
  EXPECT_TRUE(hand.ask());
  EXPECT_FALSE(hand.strategy().exhausted());
  EXPECT_TRUE(hand.strategy().may_grant(gpu));
  EXPECT_TRUE(hand.ask());
  EXPECT_TRUE(hand.strategy().exhausted());
  EXPECT_FALSE(hand.strategy().may_grant(gpu));
  EXPECT_FALSE(hand.ask());
}

TEST(DartsByHand, FollowsStarPUsRuleOnRequest) {
  // With A in memory: B frees one task a byte, C two tasks for its three bytes.
  TaskGraph::Parts parts;
  parts.bytes = {1, 1, 3};
  for (const auto& inputs : Tasks{{A, B}, {A, C}, {A, C}}) parts.add_task(inputs, 1);
  const auto workload = Workload::of_graph("sizes", TaskGraph(std::move(parts)));
  const Platform platform{{1.0}, 0};
  NodeMemory memory(1, 3);
  for (const auto& [choice, expected] :
       {std::pair{"darts:choice=starpu", 0U}, {"darts:choice=paper", 1U}}) {
    const auto chosen = StrategyChoice::parse(choice, workload);
    const auto strategy =
        chosen.make({workload, platform, memory, chosen.spec, Rng(1, Draw::strategy, 0)});
    strategy->on_loaded(gpu, DataId{A});
    Grant grant;

    strategy->request(gpu, grant);

    grant.tasks.for_each([&, &name = choice, &task_of = expected](TaskId task) {
      EXPECT_EQ(raw(task), task_of) << name;
    });
  }
}

}  // namespace
}  // namespace damocles::darts_hand_test
