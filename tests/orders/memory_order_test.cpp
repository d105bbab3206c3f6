// The memory-aware order: against every order of small trees, by closed form, and on graphs that
// are no trees.

#include "orders/memory_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/workload.hpp"

namespace damocles::memory_order_test {
namespace {

using Index = TaskGraph::Index;

/// The most bytes that are in memory when tasks run in this order on one processor: what a task
/// accesses while it runs, and between tasks what was written and is accessed again.
std::uint64_t peak_bytes(const TaskGraph& graph, const std::vector<Index>& order) {
  std::vector<std::size_t> uses(graph.data());
  for (Index task = 0; task < graph.tasks(); ++task) {
    for (const Index data : graph.inputs(task)) ++uses[data];
  }
  std::vector<bool> lives(graph.data());
  std::uint64_t live = 0;
  std::uint64_t peak = 0;
  for (const Index task : order) {
    std::uint64_t others = 0;
    for (const Index data : graph.inputs(task)) others += lives[data] ? 0 : graph.bytes(data);
    peak = std::max(peak, live + others);
    graph.for_each_access(task, [&](Index data, Access access) {
      const bool stays = (lives[data] || writes(access)) && --uses[data] > 0;
      if (!lives[data] && !writes(access)) --uses[data];
      if (stays && !lives[data]) live += graph.bytes(data);
      if (!stays && lives[data]) live -= graph.bytes(data);
      lives[data] = stays;
    });
  }
  return peak;
}

/// Whether each task stands once in the order, after all that it waits for.
bool follows(const TaskGraph& graph, const std::vector<Index>& order) {
  if (order.size() != graph.tasks()) return false;
  std::vector<std::size_t> places(graph.tasks(), graph.tasks());
  for (std::size_t at = 0; at < order.size(); ++at) places[order[at]] = at;
  for (Index task = 0; task < graph.tasks(); ++task) {
    if (places[task] == graph.tasks()) return false;
    for (const Index later : graph.dependencies().after(task)) {
      if (places[later] < places[task]) return false;
    }
  }
  return true;
}

/// The least peak of all orders of a tree.
class EveryOrder {
 public:
  explicit EveryOrder(const TaskGraph& graph) : graph_(graph), waits_(graph.tasks()) {
    for (Index task = 0; task < graph.tasks(); ++task) {
      waits_[task] = graph.dependencies().waits_for(task);
    }
    place_next();
  }
  [[nodiscard]] std::uint64_t least_peak() const { return least_; }

 private:
  void place_next() {
    if (order_.size() == graph_.tasks()) {
      least_ = std::min(least_, peak_bytes(graph_, order_));
      return;
    }
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if (waits_[task] != 0) continue;
      waits_[task] = 1;  // placed
      order_.push_back(task);
      const auto after = graph_.dependencies().after(task);
      for (const Index later : after) --waits_[later];
      place_next();
      for (const Index later : after) ++waits_[later];
      order_.pop_back();
      waits_[task] = 0;
    }
  }

  const TaskGraph& graph_;
  std::vector<std::uint32_t> waits_;
  std::vector<Index> order_;
  std::uint64_t least_ = ~std::uint64_t{0};
};

/// Task t writes data t and reads what its children wrote; parents[t] > t, the last hangs on none.
TaskGraph tree(const std::vector<Index>& parents, const std::vector<std::uint64_t>& bytes) {
  TaskGraph::Parts parts;
  parts.bytes = bytes;
  for (Index task = 0; task < parents.size(); ++task) {
    std::vector<Index> data;
    for (Index child = 0; child < task; ++child) {
      if (parents[child] == task) data.push_back(child);
    }
    std::vector<Access> how(data.size(), Access::read);
    data.push_back(task);
    how.push_back(Access::write);
    parts.add_task(data, how, 1);
  }
  return TaskGraph(std::move(parts));
}

TaskGraph random_tree(Rng& rng, std::size_t tasks) {
  std::vector<Index> parents;
  std::vector<std::uint64_t> bytes;
  for (std::size_t t = 0; t < tasks; ++t) {
    parents.push_back(
        static_cast<Index>(t + 1 == tasks ? tasks : t + 1 + rng.below(tasks - t - 1)));
    bytes.push_back(1 + rng.below(12));
  }
  return tree(parents, bytes);
}

TEST(MemoryOrder, HasTheLeastPeakOfAllOrdersOfSmallTrees) {
  Rng rng(1, Draw::workload, 0);
  for (int round = 0; round < 300; ++round) {
    const TaskGraph graph = random_tree(rng, 2 + rng.below(7));
    const MemoryOrder order(graph);
    ASSERT_TRUE(follows(graph, order.tasks));
    ASSERT_EQ(peak_bytes(graph, order.tasks), EveryOrder(graph).least_peak()) << round;
  }
}

TEST(MemoryOrder, BeatsEveryWalkThatEndsASubtreeBeforeTheNext) {
  // Two branches, each of which first needs 20 and keeps 1, then needs 12 and keeps 5. Branch after
  // branch holds 5 + 20; where both go over their first hill first, 1 + 20.
  const TaskGraph graph = tree({1, 2, 3, 8, 5, 6, 7, 8, 9}, {19, 1, 7, 5, 19, 1, 7, 5, 1});
  const MemoryOrder order(graph);
  const std::vector<Index> by_branch{0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(peak_bytes(graph, by_branch), 25);
  EXPECT_EQ(peak_bytes(graph, order.tasks), 21);
  EXPECT_EQ(peak_bytes(graph, order.tasks), EveryOrder(graph).least_peak());
}

TEST(MemoryOrder, HoldsHeightAndTwoResultsOfACompleteBinaryTree) {
  // Sethi & Ullman: one result a level on the way down, two inputs and an output at the end.
  for (std::size_t height = 1; height <= 8; ++height) {
    const std::size_t tasks = (std::size_t{2} << height) - 1;
    // In the order of a heap from its end: the last task is the root.
    std::vector<Index> parents(tasks);
    for (std::size_t t = 0; t + 1 < tasks; ++t) {
      const std::size_t heap = tasks - 1 - t;
      parents[t] = static_cast<Index>(tasks - 1 - (heap - 1) / 2);
    }
    parents[tasks - 1] = static_cast<Index>(tasks);
    const TaskGraph graph = tree(parents, std::vector<std::uint64_t>(tasks, 1));
    EXPECT_EQ(peak_bytes(graph, MemoryOrder(graph).tasks), height + 2);
  }
}

TEST(MemoryOrder, RunsTreesInTheOrderOfSubmission) {
  // Four pairs of tasks that create 1 B, then their four sums: pair after pair.
  TaskGraph::Parts parts;
  parts.bytes.assign(12, 1);
  for (Index t = 0; t < 8; ++t) parts.add_task(std::vector{t}, std::vector{Access::write}, 1);
  for (Index t = 0; t < 4; ++t) {
    parts.add_task(std::vector{2 * t, 2 * t + 1, 8 + t},
                   std::vector{Access::read, Access::read, Access::write}, 1);
  }
  const TaskGraph graph(std::move(parts));
  EXPECT_EQ(MemoryOrder(graph).tasks, (std::vector<Index>{0, 1, 8, 2, 3, 9, 4, 5, 10, 6, 7, 11}));
}

TEST(MemoryOrder, IsTheOrderOfSubmissionWhereNobodyWaits) {
  const Workload workload = Workload::parse("gemm2d:n=4");
  std::vector<Index> submitted(16);
  std::iota(submitted.begin(), submitted.end(), Index{0});
  EXPECT_EQ(MemoryOrder(workload.graph()).tasks, submitted);
}

TEST(MemoryOrder, FollowsDependenciesOfGraphsThatAreNoTrees) {
  for (const std::string text :
       {"cholesky:n=9,deps=true", "lu:n=7,deps=true", "lu:n=7,deps=true,updates=commute",
        "cholesky:n=7,deps=true,updates=reduce", "stencil:n=5,steps=4",
        "layered:n=12,layers=7,seed=3"}) {
    const Workload workload = Workload::parse(text);
    EXPECT_TRUE(follows(workload.graph(), MemoryOrder(workload.graph()).tasks)) << text;
  }
}

TEST(MemoryOrder, GivesTheFirstTheHighestPriority) {
  const TaskGraph graph = tree({2, 2, 3}, {1, 1, 1});
  EXPECT_EQ(MemoryOrder(graph).priorities(), (std::vector<double>{0, -1, -2}));
}

TEST(MemoryOrder, CutsSubtreesByTheirWork) {
  // 0 and 1 hang on 2, 2 and 3 on 4; each computes 1 flop.
  const TaskGraph graph = tree({2, 2, 4, 4, 5}, {1, 1, 1, 1, 1});
  const MemoryOrder order(graph);
  constexpr Index none = MemoryOrder::none;
  EXPECT_EQ(order.subtrees(graph, 3), (std::vector<Index>{2, 2, 2, 3, none}));
  EXPECT_EQ(order.subtrees(graph, 2.5), (std::vector<Index>{0, 1, none, 3, none}));
  EXPECT_EQ(order.subtrees(graph, 5), (std::vector<Index>{4, 4, 4, 4, 4}));
}

}  // namespace
}  // namespace damocles::memory_order_test
