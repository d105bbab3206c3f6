#include "orders/rcm_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/properties.hpp>
#include <boost/range/iterator_range.hpp>
#include <deque>
#include <numeric>

#include "tests/strategies/small_graphs.hpp"

namespace damocles::rcm_order_test {
namespace {

using Index = TaskGraph::Index;

using Written = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

/// The tasks as far from `start` as any, and how far that is.
std::pair<std::vector<Index>, std::size_t> farthest(const Written& graph, Index start) {
  std::vector<std::size_t> far(num_vertices(graph), 0);
  std::vector<Index> met{start};
  far[start] = 1;
  for (std::size_t next = 0; next < met.size(); ++next) {
    for (const auto edge : boost::make_iterator_range(out_edges(met[next], graph))) {
      const auto other = static_cast<Index>(target(edge, graph));
      if (far[other] > 0) continue;
      far[other] = far[met[next]] + 1;
      met.push_back(other);
    }
  }
  const std::size_t most = far[met.back()];
  std::erase_if(met, [&](Index task) { return far[task] < most; });
  return {met, most};
}

/// The first task of each component, or the end of a search that goes deeper, and so on.
std::deque<std::size_t> starts(const Written& graph, const std::vector<std::uint64_t>& degrees) {
  std::vector<std::size_t> component(num_vertices(graph));
  const auto count = static_cast<std::size_t>(connected_components(graph, component.data()));
  std::deque<std::size_t> result;
  for (std::size_t c = 0; c < count; ++c) {
    auto start =
        static_cast<Index>(std::find(component.begin(), component.end(), c) - component.begin());
    while (true) {
      const auto [ends, depth] = farthest(graph, start);
      const Index end = *std::min_element(
          ends.begin(), ends.end(), [&](Index a, Index b) { return degrees[a] < degrees[b]; });
      if (farthest(graph, end).second <= depth) break;
      start = end;
    }
    result.push_back(start);
  }
  return result;
}

/// Boost's order on the graph written out, from these starts. Degrees are told as degree x 2^32 +
/// id, as std::sort leaves the order of equals open.
std::vector<Index> order_by_boost(const TaskGraph& graph) {
  Written written(graph.tasks());
  for (Index a = 0; a < graph.tasks(); ++a) {
    for (Index b = 0; b < a; ++b) {
      if (oracle::shared_bytes(graph, a, b) > 0) boost::add_edge(a, b, written);
    }
  }
  std::vector<std::uint64_t> degrees(graph.tasks());
  for (Index task = 0; task < graph.tasks(); ++task) {
    for (const Index input : graph.inputs(task)) degrees[task] += graph.users(input).size() - 1;
    degrees[task] = (degrees[task] << 32U) + task;
  }
  const auto ids = get(boost::vertex_index, written);
  std::vector<boost::default_color_type> colors(graph.tasks());
  std::vector<std::size_t> order(graph.tasks());
  boost::cuthill_mckee_ordering(written, starts(written, degrees), order.rbegin(),
                                boost::make_iterator_property_map(colors.begin(), ids),
                                boost::make_iterator_property_map(degrees.begin(), ids));
  return {order.begin(), order.end()};
}

/// The farthest apart that two tasks stand which share data.
std::size_t bandwidth(const TaskGraph& graph, const std::vector<Index>& order) {
  std::size_t farthest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (oracle::shared_bytes(graph, order[i], order[j]) > 0) farthest = std::max(farthest, i - j);
    }
  }
  return farthest;
}

/// Tasks 0..tasks-1 in a row, each sharing one data item with the next; `names[i]` is the id of the
/// i-th.
TaskGraph path(const std::vector<Index>& names) {
  std::vector<std::vector<Index>> inputs(names.size());
  for (Index i = 0; i < names.size(); ++i) {
    if (i > 0) inputs[names[i]].push_back(i - 1);
    if (i + 1 < names.size()) inputs[names[i]].push_back(i);
  }
  TaskGraph::Parts parts;
  parts.bytes.assign(names.size() - 1, 1);
  for (const auto& reads : inputs) parts.add_task(reads, 1);
  return TaskGraph(std::move(parts));
}

TEST(RcmOrder, IsBoostsOnTheGraphWrittenOut) {
  for (std::uint64_t replicate = 0; replicate < 60; ++replicate) {
    SCOPED_TRACE(replicate);
    Rng rng(1, Draw::test, replicate);
    // Few data items: nearly complete. Many: long components, and many of them.
    const std::size_t data = replicate % 3 == 0 ? 10 : replicate % 3 == 1 ? 60 : 150;
    const auto graph = oracle::random_graph(rng, 80, data, 1 + replicate % 4, 1);

    ASSERT_EQ(rcm_order(graph), order_by_boost(graph));
  }
}

TEST(RcmOrder, IsBoostsOnAProduct) {
  const auto graph = oracle::product(9);

  EXPECT_EQ(rcm_order(graph), order_by_boost(graph));
}

TEST(RcmOrder, StraightensAShuffledPath) {
  std::vector<Index> names(120);
  std::iota(names.begin(), names.end(), 0U);
  Rng rng(1, Draw::test, 0);
  rng.shuffle(std::span(names));
  const auto graph = path(names);
  std::vector<Index> natural(names.size());
  std::iota(natural.begin(), natural.end(), 0U);
  ASSERT_GT(bandwidth(graph, natural), 50U);

  const auto order = rcm_order(graph);

  EXPECT_EQ(bandwidth(graph, order), 1U);
}

// A product's task graph has diameter 2: from a task, its row and column, then one column (or row)
// after the other. So LRU loads a side once and the other for nearly every task.
TEST(RcmOrder, LoadsNearlyEveryTaskOfAProductThatDoesNotFit) {
  const auto graph = oracle::product(40);

  const auto loads = oracle::loads_under_lru(graph, rcm_order(graph), 35);

  EXPECT_GE(loads, 40U + 40U * 40U - 40U);
  EXPECT_LE(loads, 40U + 40U * 40U + 40U);
}

}  // namespace
}  // namespace damocles::rcm_order_test
