#include "strategies/parts/fixed_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "strategies/parts/per_processor_lists.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles::fixed_order_test {
namespace {

using Index = TaskGraph::Index;
using Tasks = std::vector<Index>;

class InOrder final : public FixedOrder {
 public:
  InOrder(const StrategyContext& context, const Tasks& order) : FixedOrder(context, order) {}
};

class InLists final : public PerProcessorLists {
 public:
  InLists(const StrategyContext& context, const std::vector<Tasks>& lists, const ListRules& rules)
      : PerProcessorLists(context, lists, rules) {}
};

/// A random graph, a random order of its tasks, and what strategies are made from.
class OrdersTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  OrdersTest()
      : rng_(GetParam(), Draw::test, 0),
        workload_(Workload::of_graph("random", oracle::random_graph(rng_, 30, 9, 3, 4))),
        order_(workload_.tasks()) {
    std::iota(order_.begin(), order_.end(), Index{0});
    rng_.shuffle(std::span(order_));
  }

  [[nodiscard]] const TaskGraph& graph() const { return workload_.graph(); }
  [[nodiscard]] StrategyContext context() const {
    return {workload_, platform_, memory_, spec_, Rng(1, Draw::strategy, 0)};
  }
  /// How many tasks of `tasks` come before the first that reads `data`.
  [[nodiscard]] std::uint64_t next_use(std::span<const Index> tasks, Index data) const {
    for (std::size_t at = 0; at < tasks.size(); ++at) {
      const auto inputs = graph().inputs(tasks[at]);
      if (std::find(inputs.begin(), inputs.end(), data) != inputs.end()) return at;
    }
    return Strategy::never;
  }

  Rng rng_;
  Workload workload_;
  Platform platform_{{1.0, 1.0}, 0};
  NodeMemory memory_{2, 9};
  Spec spec_ = Spec::parse("mst", "strategy");
  Tasks order_;
};

std::optional<Index> ask(Strategy& strategy, std::uint32_t processor) {
  Grant grant;
  strategy.request(ProcessorId{processor}, grant);
  std::optional<Index> task;
  grant.tasks.for_each([&](TaskId granted) { task = static_cast<Index>(raw(granted)); });
  return task;
}

using AFixedOrder = OrdersTest;

TEST_P(AFixedOrder, KnowsHowManyGrantsFromNowADataIsRead) {
  InOrder strategy(context(), order_);
  for (std::size_t granted = 0; granted <= order_.size(); ++granted) {
    const auto left = std::span(order_).subspan(granted);

    for (Index data = 0; data < graph().data(); ++data) {
      EXPECT_EQ(strategy.next_use(ProcessorId{0}, DataId{data}), next_use(left, data))
          << data << " after " << granted;
    }

    if (granted < order_.size()) {
      EXPECT_EQ(ask(strategy, 0), order_[granted]);
    }
  }
  EXPECT_EQ(ask(strategy, 0), std::nullopt);
}

TEST_P(AFixedOrder, IsOneQueueForAllProcessors) {
  InOrder strategy(context(), order_);
  for (const Index task : order_) {
    const auto processor = static_cast<std::uint32_t>(rng_.below(2));

    EXPECT_EQ(ask(strategy, processor), task);
  }
  for (const std::uint32_t processor : {0U, 1U}) EXPECT_EQ(ask(strategy, processor), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Graphs, AFixedOrder, testing::Range<std::uint64_t>(1, 9));

using AList = OrdersTest;

TEST_P(AList, KnowsWhichDataItsProcessorReadsFirst) {
  const std::vector<Tasks> lists{{order_.begin(), order_.begin() + 15},
                                 {order_.begin() + 15, order_.end()}};
  InLists strategy(context(), lists, {});
  for (std::size_t granted = 0; granted <= 15; ++granted) {
    for (const std::uint32_t p : {0U, 1U}) {
      const auto left = std::span(lists[p]).subspan(granted);
      for (Index a = 0; a < graph().data(); ++a) {
        const auto use = strategy.next_use(ProcessorId{p}, DataId{a});
        EXPECT_EQ(use == Strategy::never, next_use(left, a) == Strategy::never);
        for (Index b = 0; b < graph().data(); ++b) {
          EXPECT_EQ(use < strategy.next_use(ProcessorId{p}, DataId{b}),
                    next_use(left, a) < next_use(left, b));
        }
      }
      if (granted < 15) {
        EXPECT_EQ(ask(strategy, p), lists[p][granted]);
      }
    }
  }
}

TEST_P(AList, TakesTheTaskThatLacksFewestBytesFirst) {
  InLists strategy(context(), {order_, {}}, {.ready = ReadyList::whole});
  Tasks left = order_;
  std::vector<bool> held(graph().data(), false);
  const auto lacks = [&](Index task) {
    std::uint64_t bytes = 0;
    for (const Index input : graph().inputs(task)) bytes += held[input] ? 0 : graph().bytes(input);
    return bytes;
  };
  while (!left.empty()) {
    const auto data = static_cast<Index>(rng_.below(graph().data()));
    held[data] = !held[data];
    held[data] ? strategy.on_arrived(ProcessorId{0}, DataId{data})
               : strategy.on_evicted(ProcessorId{0}, DataId{data});
    const auto readiest = std::min_element(left.begin(), left.end(),
                                           [&](Index a, Index b) { return lacks(a) < lacks(b); });

    EXPECT_EQ(ask(strategy, 0), *readiest);

    left.erase(readiest);
  }
}

TEST_P(AList, IsRobbedOnlyWhereStealingIsAllowed) {
  InLists alone(context(), {order_, {}}, {});
  InLists robbed(context(), {order_, {}}, {.steal = true});

  EXPECT_EQ(ask(alone, 1), std::nullopt);
  // Half of 30 tasks, from the tail, in the same order (IPDPS'22, section IV-B).
  EXPECT_EQ(ask(robbed, 1), order_[15]);
  EXPECT_EQ(ask(robbed, 0), order_[0]);
}

TEST_P(AList, HintsAtInputsRequestedWhenTasksWereListed) {
  InLists strategy(context(), {order_, {}}, {.prefetch = true});
  strategy.on_loaded(ProcessorId{0}, DataId{3});
  // In the order of the list, what a task after the first reads.
  std::vector<DataId> expected;
  for (const Index task : order_) {
    for (const Index input : graph().inputs(task)) {
      const auto later = std::span(order_).subspan(1);
      if (input == 3 || next_use(later, input) == Strategy::never) continue;
      const DataId data{input};
      if (std::find(expected.begin(), expected.end(), data) == expected.end()) {
        expected.push_back(data);
      }
    }
  }
  if (expected.size() > 16) expected.resize(16);
  Grant grant;

  strategy.request(ProcessorId{0}, grant);

  EXPECT_EQ(grant.loads, expected);
  // What the list still reads no prefetch may evict.
  for (Index d = 0; d < graph().data(); ++d) {
    EXPECT_EQ(strategy.reserved_uses(ProcessorId{0}, DataId{d}) > 0,
              next_use(std::span(order_).subspan(1), d) != Strategy::never);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, AList, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace damocles::fixed_order_test
