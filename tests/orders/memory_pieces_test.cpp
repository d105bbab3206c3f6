#include "orders/memory_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "orders/min_loads.hpp"
#include "orders/part_graphs.hpp"

namespace damocles::memory_pieces_test {
namespace {

using Index = TaskGraph::Index;

/// Task (i, j) of an m x n grid reads data i and m + j, of 1 B each.
TaskGraph grid(Index m, Index n) {
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{m} + n, 1);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) parts.add_task(std::array<Index, 2>{i, m + j}, 1);
  }
  return TaskGraph(std::move(parts));
}

std::vector<Index> all(const TaskGraph& graph) {
  std::vector<Index> tasks(graph.tasks());
  std::iota(tasks.begin(), tasks.end(), Index{0});
  return tasks;
}

class MemoryPieces : public testing::Test {
 protected:
  void SetUp() override {
    if (!partition_built()) GTEST_SKIP() << "no partitioner is built in";
  }
};

TEST_F(MemoryPieces, CutAGridOfFourByFourInQuarters) {
  const auto graph = grid(4, 4);

  const auto order = in_pieces(graph, all(graph), 4, 1);

  // 8 data items are twice the memory, so 4 pieces: 2 x 2 tasks of 4 data items each. The first
  // loads 4, each other shares one side with the piece before and loads the other: 4 + 2 + 2 + 2.
  EXPECT_EQ(min_loads(graph, order, 4), 10U);
  for (std::size_t piece = 0; piece < 4; ++piece) {
    std::set<Index> data;
    for (std::size_t at = 4 * piece; at < 4 * piece + 4; ++at) {
      for (const Index input : graph.inputs(order[at])) data.insert(input);
    }
    EXPECT_EQ(data.size(), 4U) << piece;
  }
}

TEST_F(MemoryPieces, HaveEachTaskOnceWhateverTheyAreOf) {
  const auto graph = grid(9, 13);
  std::vector<Index> some;
  for (Index task = 0; task < graph.tasks(); task += 3) some.push_back(task);

  for (const std::uint64_t memory : {1U, 2U, 5U, 22U}) {  // a task reads 2
    auto order = in_pieces(graph, some, memory, 2);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, some) << memory;
  }
  EXPECT_TRUE(in_pieces(graph, {}, 5, 2).empty());
}

/// In row order a memory that does not hold a row's columns serves few of them twice.
TEST_F(MemoryPieces, LoadLessThanAThirdOfWhatRowOrderDoes) {
  const auto graph = grid(40, 40);

  const auto order = in_pieces(graph, all(graph), 16, 1);

  // 25 pieces of 8 x 8 would load 16 and then 8 each, 208; rows 40 * (1 + 40 - 15) or more.
  EXPECT_LT(3 * min_loads(graph, order, 16), min_loads(graph, all(graph), 16));
}

TEST_F(MemoryPieces, AreTheSameForOneSeed) {
  const auto graph = grid(12, 11);
  EXPECT_EQ(in_pieces(graph, all(graph), 7, 3), in_pieces(graph, all(graph), 7, 3));
}

TEST(PartGraphs, HaveTheDataOfTheirTasksUnlessLeftOut) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 2, 3, 4};
  parts.add_task(std::vector<Index>{3, 1}, 5);
  parts.add_task(std::vector<Index>{0}, 6);
  parts.add_task(std::vector<Index>{1, 2}, 7);
  const TaskGraph whole(std::move(parts));
  PartGraphs graphs(whole);

  const TaskGraph part = graphs.of(std::vector<Index>{2, 0});
  EXPECT_EQ(std::vector(graphs.data().begin(), graphs.data().end()), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(part.parts().bytes, (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(part.parts().inputs, (std::vector<Index>{0, 1, 2, 0}));
  EXPECT_EQ(part.flops(0), 7);

  graphs.leave_out(1);
  EXPECT_EQ(graphs.of(std::vector<Index>{2, 0}).parts().bytes, (std::vector<std::uint64_t>{3, 4}));
  graphs.leave_out(1, false);
  EXPECT_EQ(graphs.of(std::vector<Index>{2}).parts().bytes, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(PartGraphs(whole, PartGraphs::Weights::alike).of(std::vector<Index>{2}).total_flops(),
            0);
}

}  // namespace
}  // namespace damocles::memory_pieces_test
