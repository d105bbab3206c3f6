#include "orders/mst_order.hpp"

#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/prim_minimum_spanning_tree.hpp>
#include <numeric>

#include "tests/strategies/small_graphs.hpp"

namespace damocles::mst_order_test {
namespace {

using Index = TaskGraph::Index;

/// Prim's algorithm with every pair of tasks looked at.
std::vector<Index> naive_order(const TaskGraph& graph) {
  std::vector<std::uint64_t> most(graph.tasks(), 0);
  std::vector<bool> included(graph.tasks(), false);
  std::vector<Index> order;
  while (order.size() < graph.tasks()) {
    Index best = 0;
    while (included[best]) ++best;
    for (Index task = best; task < graph.tasks(); ++task) {
      if (!included[task] && most[task] > most[best]) best = task;
    }
    included[best] = true;
    order.push_back(best);
    for (Index task = 0; task < graph.tasks(); ++task) {
      most[task] = std::max(most[task], oracle::shared_bytes(graph, best, task));
    }
  }
  return order;
}

/// Sum over the tasks of the most that each shares with one before it.
std::uint64_t tree_weight(const TaskGraph& graph, const std::vector<Index>& order) {
  std::uint64_t weight = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::uint64_t most = 0;
    for (std::size_t j = 0; j < i; ++j) {
      most = std::max(most, oracle::shared_bytes(graph, order[i], order[j]));
    }
    weight += most;
  }
  return weight;
}

/// Weight of a maximum spanning forest by Boost, as a minimum spanning tree of the complete graph
/// with weights `top` - shared.
std::uint64_t weight_by_boost(const TaskGraph& graph) {
  using Weights = boost::property<boost::edge_weight_t, std::uint64_t>;
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, Weights>
      complete(graph.tasks());
  constexpr std::uint64_t top = 1000;
  for (Index a = 0; a < graph.tasks(); ++a) {
    for (Index b = 0; b < a; ++b) {
      boost::add_edge(a, b, Weights(top - oracle::shared_bytes(graph, a, b)), complete);
    }
  }
  std::vector<std::size_t> parents(graph.tasks());
  boost::prim_minimum_spanning_tree(complete, parents.data());
  std::uint64_t weight = 0;
  for (Index task = 0; task < graph.tasks(); ++task) {
    if (parents[task] == task) continue;
    weight += oracle::shared_bytes(graph, task, static_cast<Index>(parents[task]));
  }
  return weight;
}

TEST(MstOrder, IsPrimsWithTheLowestIdFirst) {
  for (std::uint64_t replicate = 0; replicate < 60; ++replicate) {
    SCOPED_TRACE(replicate);
    Rng rng(1, Draw::test, replicate);
    // Few data items: tasks share several. Many: they share one at most, and come in components.
    const std::size_t data = replicate % 3 == 0 ? 6 : replicate % 3 == 1 ? 25 : 300;
    const auto graph =
        oracle::random_graph(rng, 70, data, 1 + replicate % 5, replicate % 2 == 0 ? 1 : 9);

    const auto order = mst_order(graph);

    ASSERT_EQ(order, naive_order(graph));
    ASSERT_EQ(tree_weight(graph, order), weight_by_boost(graph));
  }
}

TEST(MstOrder, GoesThroughAProductRowByRow) {
  const auto graph = oracle::product(40);
  std::vector<Index> rows(graph.tasks());
  std::iota(rows.begin(), rows.end(), 0U);

  const auto order = mst_order(graph);

  EXPECT_EQ(order, rows);
  // Each row once, and, as 40 columns do not fit into 35 places, each column for each row.
  EXPECT_EQ(oracle::loads_under_lru(graph, order, 35), 40U + 40U * 40U);
}

// 0 and 1 share two data items, 0 and 2 a larger one: bytes decide, not how many.
TEST(MstOrder, WeighsSharedDataByTheirBytes) {
  TaskGraph::Parts parts;
  parts.bytes = {2, 2, 5};
  parts.add_task(std::array<Index, 3>{0, 1, 2}, 1);
  parts.add_task(std::array<Index, 2>{0, 1}, 1);
  parts.add_task(std::array<Index, 1>{2}, 1);
  const TaskGraph graph(std::move(parts));

  EXPECT_EQ(mst_order(graph), (std::vector<Index>{0, 2, 1}));
}

}  // namespace
}  // namespace damocles::mst_order_test
