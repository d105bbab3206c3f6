#include "orders/pivot_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/workloads/tiled_workloads.hpp"
#include "orders/min_loads.hpp"
#include "tests/orders/least_panel_order.hpp"
#include "tests/strategies/schedule_search.hpp"

namespace damocles::pivot_blocks_test {
namespace {

using Index = TaskGraph::Index;

/// Tiles of 1 byte.
constexpr Tiling unit{.tile = 1, .element_bytes = 1};

Pivots last_inputs(const TaskGraph& graph) {
  Pivots pivots;
  for (Index t = 0; t < graph.tasks(); ++t) pivots.of_task.push_back(graph.inputs(t).back());
  return pivots;
}

TEST(PivotBlocks, AreSquaresOfTilesOfC) {
  // 4 x 4 tiles of C, room for 2 x 2 of them with 2 + 1 passing: four blocks, in a snake.
  const TaskGraph graph(product_3d(4, 4, 3, ReadsC::yes, unit));
  const Index c = 4 * 3 + 3 * 4;  // the first tile of C

  const auto choices = pivot_blocks(graph, last_inputs(graph), 7);

  ASSERT_FALSE(choices.empty());
  const std::vector<std::vector<Index>> expected{{c, c + 1, c + 4, c + 5},
                                                 {c + 2, c + 3, c + 6, c + 7},
                                                 {c + 10, c + 11, c + 14, c + 15},
                                                 {c + 8, c + 9, c + 12, c + 13}};
  EXPECT_EQ(choices.front(), expected);
}

TEST(PivotBlocks, HoldEachPivotOnce) {
  for (const auto& parts : {product_3d(5, 7, 3, ReadsC::yes, unit),
                            product_3d(4, 4, 4, ReadsC::later, unit), cholesky(9, unit)}) {
    const TaskGraph graph(parts);
    for (const Pivots& pivots : choices_of_pivots(graph)) {
      std::vector<Index> expected = pivots.of_task;
      std::sort(expected.begin(), expected.end());
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      for (const std::uint64_t memory : {3U, 8U, 20U, 1000U}) {
        for (const auto& panels : pivot_blocks(graph, pivots, memory)) {
          std::vector<Index> grouped;
          for (const auto& panel : panels) {
            grouped.insert(grouped.end(), panel.begin(), panel.end());
          }
          std::sort(grouped.begin(), grouped.end());
          EXPECT_EQ(grouped, expected) << memory;
        }
      }
    }
  }
}

TEST(PivotBlocks, FindNothingWhereThereIsNoGrid) {
  const TaskGraph pairs =
      testing_oracle::grid(5, 5);  // one data item streams past a pivot, not two
  EXPECT_TRUE(pivot_blocks(pairs, last_inputs(pairs), 5).empty());

  Rng rng(4, Draw::test, 0);
  const TaskGraph random = testing_oracle::random_graph(rng, 200, 12, 4);
  EXPECT_TRUE(pivot_blocks(random, last_inputs(random), 8).empty());
}

TEST(PivotBlocks, LoadWhatSquareBlocksLoadInCholesky) {
  // A C tile (i, j) reads rows i and j of the columns before j. With M = 60 a block of 7 x 7 tiles
  // lets 14 tiles pass for 49 tasks; grown greedily the panels of 60 x 60 tiles load 14 921 (before
  // blocks were tried), a throw-away program of square blocks 13 945.
  const TaskGraph graph(cholesky(60, unit));

  const std::uint64_t loads = min_loads(graph, panel_order(graph, 60).front(), 60);

  EXPECT_LE(loads, 13'945U);
}

}  // namespace
}  // namespace damocles::pivot_blocks_test
