#include "orders/min_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "models/error.hpp"
#include "orders/use_set.hpp"
#include "tests/strategies/schedule_search.hpp"

namespace damocles::min_loads_test {
namespace {

using testing_oracle::fewest_loads;
using testing_oracle::grid;
using testing_oracle::random_graph;
using Index = TaskGraph::Index;

std::vector<Index> natural(const TaskGraph& graph) {
  std::vector<Index> order(graph.tasks());
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

/// Farthest first by looking through the order anew for every eviction.
Loaded by_scanning(const TaskGraph& graph, std::span<const Index> order, std::uint64_t memory) {
  const auto next_use = [&](Index data, std::size_t from) {
    std::size_t use = 0;
    for (std::size_t s = 0; s < order.size(); ++s) {
      for (const Index input : graph.inputs(order[s])) {
        if (s >= from && input == data) return use;
        ++use;
      }
    }
    return use + data;  // never: any order among those
  };
  Loaded loaded;
  std::vector<Index> held;
  for (std::size_t s = 0; s < order.size(); ++s) {
    const auto inputs = graph.inputs(order[s]);
    std::uint64_t bytes = graph.footprint(order[s]);
    std::vector<Index> others;
    for (const Index data : held) {
      if (std::find(inputs.begin(), inputs.end(), data) == inputs.end()) others.push_back(data);
    }
    for (const Index data : others) bytes += graph.bytes(data);
    for (const Index input : inputs) {
      if (std::find(held.begin(), held.end(), input) != held.end()) continue;
      ++loaded.loads;
      loaded.bytes += graph.bytes(input);
    }
    while (bytes > memory) {
      const auto farthest = std::max_element(others.begin(), others.end(), [&](Index a, Index b) {
        return next_use(a, s) < next_use(b, s);
      });
      bytes -= graph.bytes(*farthest);
      others.erase(farthest);
    }
    held = others;
    held.insert(held.end(), inputs.begin(), inputs.end());
  }
  return loaded;
}

TEST(MinLoads, IsTheFewestOverAllEvictions) {
  Rng rng(1, Draw::test, 0);
  int reloaded = 0;  // how often the memory was too small for each data item to be loaded once
  for (int instance = 0; instance < 2'000; ++instance) {
    const auto data = static_cast<Index>(4 + rng.below(4));
    const TaskGraph graph = random_graph(rng, static_cast<Index>(5 + rng.below(10)), data, 3);
    std::vector<Index> order = natural(graph);
    rng.shuffle(std::span(order));
    const std::uint64_t memory = graph.widest() + rng.below(3);

    const std::uint64_t loads = min_loads(graph, order, memory);

    EXPECT_EQ(loads, fewest_loads(graph, order, memory));
    reloaded += loads > data ? 1 : 0;
  }
  EXPECT_GT(reloaded, 800);
}

TEST(MinLoads, EvictsFarthestFirstWhenSizesDifferAndIsThenNotAlwaysBest) {
  Rng rng(2, Draw::test, 0);
  int beaten = 0;
  for (int instance = 0; instance < 400; ++instance) {
    const auto data = static_cast<Index>(3 + rng.below(5));
    const TaskGraph graph = random_graph(rng, static_cast<Index>(3 + rng.below(10)), data, 3, 5);
    const std::vector<Index> order = natural(graph);
    std::uint64_t memory = 0;
    for (const Index task : order) memory = std::max(memory, graph.footprint(task));
    memory += rng.below(8);

    const Loaded loaded = loaded_under_min(graph, order, memory);

    EXPECT_EQ(loaded, by_scanning(graph, order, memory));
    const std::uint64_t fewest = fewest_loads(graph, order, memory);
    EXPECT_GE(loaded.loads, fewest);
    beaten += loaded.loads > fewest ? 1 : 0;
  }
  EXPECT_GT(beaten, 0);
}

TEST(MinLoads, CountsTheBytesOfUniformDataToo) {
  const TaskGraph graph = grid(3, 3, 14);

  const Loaded loaded = loaded_under_min(graph, natural(graph), 3 * 14);

  EXPECT_EQ(loaded.bytes, 14 * loaded.loads);
  EXPECT_EQ(loaded, by_scanning(graph, natural(graph), 3 * 14));
}

TEST(MinLoads, TakesPartsOfTheTasksAndTasksTwice) {
  const TaskGraph graph = grid(2, 2);

  EXPECT_EQ(min_loads(graph, std::vector<Index>{}, 2), 0U);
  EXPECT_EQ(min_loads(graph, std::vector<Index>{3}, 2), 2U);
  // (0,0) loads two, (1,1) two others, (0,0) both again.
  EXPECT_EQ(min_loads(graph, std::vector<Index>{0, 3, 0}, 2), 6U);
  EXPECT_EQ(min_loads(graph, std::vector<Index>{0, 3, 0}, 4), 4U);
}

TEST(MinLoads, FindsTheSevenLoadsOfColoc21Figure1) {
  // The figure's graph is lost in the text we have. This one is consistent with all that the text
  // says of it: 5 tasks, 6 data items, M = 3, natural order, V(3) = {1}, V(4) = {2}, V(5) = {3, 4},
  // 7 loads, only D1 loaded twice.
  TaskGraph::Parts parts;
  parts.bytes.assign(6, 1);
  const std::vector<std::vector<Index>> reads{{1, 2}, {1, 3}, {2, 4}, {3, 5}, {1, 5, 6}};
  for (std::vector<Index> inputs : reads) {
    for (Index& data : inputs) --data;
    parts.add_task(inputs, 1);
  }
  const TaskGraph graph(std::move(parts));

  EXPECT_EQ(min_loads(graph, natural(graph), 3), 7U);
  EXPECT_EQ(fewest_loads(graph, natural(graph), 3), 7U);
  // D1 alone comes twice: a place more, and each comes once.
  EXPECT_EQ(min_loads(graph, natural(graph), 4), 6U);
}

TEST(MinLoads, FindsTheElevenLoadsOfIpdps22Figure1) {
  const TaskGraph graph = grid(3, 3);
  const std::vector<Index> gpu1{0, 1, 4, 3};     // T1, T2, T5, T4
  const std::vector<Index> gpu2{2, 5, 8, 7, 6};  // T3, T6, T9, T8, T7

  EXPECT_EQ(min_loads(graph, gpu1, 2), 5U);  // one data item, loaded for T1, comes again for T4
  EXPECT_EQ(min_loads(graph, gpu2, 2), 6U);  // each of the six once
}

TEST(MinLoads, RefusesWhatCannotRun) {
  const TaskGraph graph = grid(2, 2, 10);

  const auto message = [&](std::vector<Index> order, std::uint64_t memory) -> std::string {
    try {
      (void)min_loads(graph, order, memory);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({0, 1}, 20), "");
  EXPECT_EQ(message({3}, 19), "task T3 reads 20 bytes, the memory has 19; give at least 20");
  EXPECT_EQ(message({4}, 20), "an order names task 4, but there are 4 (from 0)");
}

TEST(UseSet, KnowsItsLargest) {
  // 70 000 numbers make three levels of words.
  UseSet set(70'000);
  std::vector<bool> naive(70'000, false);
  Rng rng(3, Draw::test, 0);
  std::size_t inside = 0;
  for (int step = 0; step < 3'000; ++step) {
    const std::size_t x = rng.below(70'000) >> rng.below(17);
    if (rng.below(3) != 0) {
      inside += naive[x] ? 0 : 1;
      naive[x] = true;
      set.add(x);
    } else {
      EXPECT_EQ(set.remove(x), naive[x]);
      inside -= naive[x] ? 1 : 0;
      naive[x] = false;
    }
    ASSERT_EQ(set.empty(), inside == 0);
    const auto end = naive.rend() - static_cast<std::ptrdiff_t>(x);
    const auto below = std::find(end, naive.rend(), true);
    ASSERT_EQ(set.largest_below(x), below == naive.rend()
                                        ? std::nullopt
                                        : std::optional<std::size_t>(naive.rend() - below - 1));
    if (inside == 0) continue;
    const auto last = std::find(naive.rbegin(), naive.rend(), true);
    ASSERT_EQ(set.largest(), static_cast<std::size_t>(naive.rend() - last) - 1);
  }
}

}  // namespace
}  // namespace damocles::min_loads_test
