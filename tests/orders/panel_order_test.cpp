#include "orders/panel_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "models/bounds/graph_bound.hpp"
#include "models/error.hpp"
#include "orders/min_loads.hpp"
#include "orders/panels.hpp"
#include "tests/orders/least_panel_order.hpp"
#include "tests/strategies/schedule_search.hpp"

namespace damocles::panel_order_test {
namespace {

using testing_oracle::fewest_loads_of_any_order;
using testing_oracle::grid;
using testing_oracle::random_graph;
using Index = TaskGraph::Index;
using Orders = std::vector<std::vector<Index>>;

std::uint64_t loads_of(const TaskGraph& graph, const Orders& orders, std::uint64_t memory) {
  std::uint64_t loads = 0;
  for (const auto& order : orders) loads += min_loads(graph, order, memory);
  return loads;
}

std::uint64_t panel_loads(const TaskGraph& graph, std::uint64_t memory) {
  return loads_of(graph, panel_order(graph, memory), memory);
}

/// Each task, how often it is in the orders.
std::vector<int> times(const TaskGraph& graph, const Orders& orders) {
  std::vector<int> count(graph.tasks(), 0);
  for (const auto& order : orders) {
    for (const Index task : order) ++count[task];
  }
  return count;
}

/// The same tasks submitted in another order; `position` tells where each went.
TaskGraph resubmitted(const TaskGraph& graph, const std::vector<Index>& order) {
  TaskGraph::Parts parts;
  parts.bytes = graph.parts().bytes;
  for (const Index task : order) parts.add_task(graph.inputs(task), graph.flops(task));
  return TaskGraph(std::move(parts));
}

TaskGraph product_with_c(Index n) {
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{3} * n * n, 1);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        parts.add_task(std::vector<Index>{i * n + k, n * n + k * n + j, 2 * n * n + i * n + j}, 1);
      }
    }
  }
  return TaskGraph(std::move(parts));
}

TEST(PanelOrder, LoadsWhatItsFormulaTellsOnSquareGrids) {
  for (const std::uint64_t n : {7U, 12U, 20U, 33U}) {
    const TaskGraph graph = grid(static_cast<Index>(n), static_cast<Index>(n));
    for (std::uint64_t memory = 2; memory <= n + 2; ++memory) {
      const std::uint64_t panels = (n + memory - 2) / (memory - 1);
      const std::uint64_t formula =
          memory > n ? 2 * n : 2 * n + (panels - 1) * (n - memory) + n - n / panels;

      const std::uint64_t loads = panel_loads(graph, memory);

      EXPECT_LE(loads, formula) << n << " " << memory;
      EXPECT_GE(loads, graph_load_bound(graph, memory).loads) << n << " " << memory;
    }
  }
}

TEST(PanelOrder, LoadsNoMoreThanThePrototypesAtOneHundred) {
  const TaskGraph graph = grid(100, 100);

  EXPECT_LE(panel_loads(graph, 10), 1290U);
  EXPECT_LE(panel_loads(graph, 20), 690U);
  EXPECT_LE(panel_loads(graph, 50), 370U);
  EXPECT_LE(panel_loads(graph, 100), 251U);
  EXPECT_EQ(panel_loads(graph, 101), 200U);
}

TEST(PanelOrder, IsMostlyTheOptimumOfTinyGrids) {
  int cases = 0;
  int optimal = 0;
  for (Index m = 2; m <= 4; ++m) {
    for (Index n = m; n <= 4; ++n) {
      const TaskGraph graph = grid(m, n);
      for (unsigned memory = 2; memory <= m + n; ++memory) {
        const std::uint64_t optimum = fewest_loads_of_any_order(graph, memory);

        const std::uint64_t loads = panel_loads(graph, memory);

        EXPECT_GE(loads, optimum);
        EXPECT_LE(loads, optimum + 1) << m << " x " << n << ", M = " << memory;
        ++cases;
        optimal += loads == optimum ? 1 : 0;
      }
    }
  }
  RecordProperty("optimal", std::to_string(optimal) + " of " + std::to_string(cases));
  EXPECT_GE(optimal, cases - 1);
}

TEST(PanelOrder, RunsEachTaskOnceWhateverTheGraph) {
  Rng rng(5, Draw::test, 0);
  for (int instance = 0; instance < 200; ++instance) {
    const auto data = static_cast<Index>(2 + rng.below(30));
    const TaskGraph graph = random_graph(rng, static_cast<Index>(1 + rng.below(60)), data,
                                         static_cast<Index>(1 + rng.below(4)), 1 + rng.below(9));
    std::uint64_t memory = 0;
    for (Index t = 0; t < graph.tasks(); ++t) memory = std::max(memory, graph.footprint(t));
    memory += rng.below(20);
    const std::size_t processors = 1 + rng.below(5);

    const Orders orders = panel_order(graph, memory, processors);

    ASSERT_EQ(orders.size(), processors);
    ASSERT_EQ(times(graph, orders), std::vector<int>(graph.tasks(), 1));
    // MIN itself refuses a task that does not fit: the order needs no more than M anywhere.
    EXPECT_GE(loads_of(graph, orders, memory), graph_load_bound(graph, memory).loads);
  }
}

TEST(PanelOrder, TakesTasksWithoutInputs) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.add_task(std::vector<Index>{}, 1);
  parts.add_task(std::vector<Index>{0}, 1);
  parts.add_task(std::vector<Index>{}, 1);
  const TaskGraph graph(std::move(parts));

  EXPECT_EQ(times(graph, panel_order(graph, 1)), std::vector<int>(3, 1));
}

TEST(PanelOrder, DoesNotDependOnTheOrderTasksWereSubmittedIn) {
  Rng rng(6, Draw::test, 0);
  for (const auto& graph : {grid(9, 13), product_with_c(5)}) {
    std::vector<Index> shuffled(graph.tasks());
    std::iota(shuffled.begin(), shuffled.end(), Index{0});
    rng.shuffle(std::span(shuffled));

    const Orders before = panel_order(graph, 10, 2);
    Orders after = panel_order(resubmitted(graph, shuffled), 10, 2);

    for (auto& order : after) {
      for (Index& task : order) task = shuffled[task];
    }
    EXPECT_EQ(after, before);
  }
}

TEST(PanelOrder, FollowsAChain) {
  // Task t reads data t and t + 1. A snake from panel to panel would meet every second pair late.
  TaskGraph::Parts parts;
  parts.bytes.assign(51, 1);
  for (Index t = 0; t < 50; ++t) parts.add_task(std::vector<Index>{t, t + 1}, 1);
  const TaskGraph graph(std::move(parts));

  EXPECT_EQ(panel_loads(graph, 2), 51U);
  EXPECT_EQ(panel_loads(graph, 5), 51U);
}

TEST(PanelOrder, GivesProcessorsEqualWork) {
  const TaskGraph graph = grid(30, 30);

  const Orders orders = panel_order(graph, 12, 7);

  for (const auto& order : orders) {
    EXPECT_NEAR(static_cast<double>(order.size()), 900.0 / 7, 1);
  }
}

TEST(PanelOrder, GivesProcessorsWorkInProportionToTheirSpeeds) {
  const TaskGraph graph = grid(30, 30);
  const std::vector<double> speeds{3e12, 1e12, 2e12};

  for (const PanelOrder& order : split_orders(graph, panel_sequences(graph, 12, 3), 12, speeds)) {
    ASSERT_EQ(order.parts.size(), 3U);
    EXPECT_NEAR(static_cast<double>(order.parts[0].size()), 450, 1);
    EXPECT_NEAR(static_cast<double>(order.parts[1].size()), 150, 1);
    EXPECT_NEAR(static_cast<double>(order.parts[2].size()), 300, 1);
  }
}

TEST(PanelOrder, SplitsAGridThatFitsIntoSquares) {
  // Four processors with room for everything: 2 x 2 squares of 50 x 50 tasks load 4 (50 + 50).
  const TaskGraph graph = grid(100, 100);

  EXPECT_EQ(loads_of(graph, panel_order(graph, 200, 4), 200), 400U);
}

TEST(PanelOrder, GathersTheTilesOfCInBlocks) {
  // 12^3 tasks, M = 43: a 6 x 6 block of C with 6 + 1 tiles passing loads 36 + 12 (6 + 6) a block,
  // 720 for the four; shorter at the turns. Row after row of C loads 1 598 at M = 50.
  const TaskGraph graph = product_with_c(12);

  EXPECT_LE(panel_loads(graph, 43), 720U);
}

TEST(PanelOrder, RefusesWhatCannotRun) {
  EXPECT_THROW((void)panel_order(grid(2, 2), 1), InvalidInput);
  EXPECT_THROW((void)panel_order(grid(2, 2), 2, 0), InvalidInput);
}

TEST(Panels, ChooseOneSideWhereThereAreTwo) {
  // Columns named first by some tasks: still one side, then the other.
  TaskGraph::Parts parts;
  parts.bytes.assign(4, 1);
  for (const auto& reads : std::vector<std::vector<Index>>{{0, 2}, {3, 0}, {2, 1}, {1, 3}}) {
    parts.add_task(reads, 1);
  }
  const auto choices = choices_of_pivots(TaskGraph(std::move(parts)));

  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].of_task, (std::vector<Index>{0, 0, 1, 1}));
  EXPECT_EQ(choices[1].of_task, (std::vector<Index>{2, 3, 2, 3}));
}

TEST(Panels, HoldEachPivotOnceAndNoMoreThanTheirWidth) {
  Rng rng(8, Draw::test, 0);
  for (int instance = 0; instance < 100; ++instance) {
    const TaskGraph graph = random_graph(rng, 40, 25, 3, 4);
    const std::uint64_t width = 4 + rng.below(20);  // no pivot exceeds 4
    for (const Pivots& pivots : choices_of_pivots(graph)) {
      std::vector<Index> expected = pivots.of_task;
      std::sort(expected.begin(), expected.end());
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());

      std::vector<Index> grouped;
      for (const auto& panel : group_in_panels(graph, pivots, {1 + rng.below(9), width})) {
        std::uint64_t bytes = 0;
        for (const Index pivot : panel) bytes += graph.bytes(pivot);
        EXPECT_LE(bytes, width);
        grouped.insert(grouped.end(), panel.begin(), panel.end());
      }

      std::sort(grouped.begin(), grouped.end());
      EXPECT_EQ(grouped, expected);
    }
  }
}

}  // namespace
}  // namespace damocles::panel_order_test
