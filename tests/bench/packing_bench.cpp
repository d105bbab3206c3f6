#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "orders/min_loads.hpp"
#include "tests/orders/packing_oracle.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// MIN by going through all that is held at every eviction, with the next uses known.
std::uint64_t loads_by_scanning(const TaskGraph& graph, std::span<const Index> order,
                                std::size_t capacity) {
  std::vector<std::vector<std::size_t>> uses(graph.data());  // latest first
  for (std::size_t k = order.size(); k-- > 0;) {
    for (const Index data : graph.inputs(order[k])) uses[data].push_back(k);
  }
  const auto next_use = [&](Index data) {
    return uses[data].empty() ? std::numeric_limits<std::size_t>::max() : uses[data].back();
  };
  std::vector<Index> held;
  std::uint64_t loads = 0;
  for (const Index task : order) {
    for (const Index data : graph.inputs(task)) {
      if (std::find(held.begin(), held.end(), data) != held.end()) continue;
      ++loads;
      if (held.size() == capacity) {
        const auto farthest = std::max_element(
            held.begin(), held.end(), [&](Index a, Index b) { return next_use(a) < next_use(b); });
        *farthest = data;
      } else {
        held.push_back(data);
      }
    }
    for (const Index data : graph.inputs(task)) uses[data].pop_back();
  }
  return loads;
}

void count(benchmark::State& state, const TaskGraph& graph, std::uint64_t loads) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.tasks()));
  state.counters["loads"] = static_cast<double>(loads);
  state.counters["s/task"] = benchmark::Counter(
      static_cast<double>(graph.tasks()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Belady's MIN along the 2D product in a random order, where it has most to do: M = n / 4 data
/// items.
void min(benchmark::State& state, Index n, bool naive) {
  const auto graph = oracle::product(n);
  std::vector<Index> order(graph.tasks());
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(1, Draw::test, 0);
  rng.shuffle(std::span(order));
  std::uint64_t loads = 0;
  for (auto _ : state) {
    loads = naive ? loads_by_scanning(graph, order, n / 4) : min_loads(graph, order, n / 4);
  }
  count(state, graph, loads);
}

/// The same in row order, as a strategy leaves it.
void min_in_rows(benchmark::State& state, Index n) {
  const auto graph = oracle::product(n);
  std::vector<Index> order(graph.tasks());
  std::iota(order.begin(), order.end(), Index{0});
  std::uint64_t loads = 0;
  for (auto _ : state) loads = min_loads(graph, order, n / 4);
  count(state, graph, loads);
}

/// Hierarchical Fair Packing with flip on the 2D product, M = n / 4 data items, one package.
void packing(benchmark::State& state, Index n, bool naive) {
  const auto graph = oracle::product(n);
  std::uint64_t loads = 0;
  for (auto _ : state) {
    const auto packages = naive ? oracle::Packing(graph, n / 4, {}).pack(1) : pack(graph, n / 4, 1);
    state.PauseTiming();
    loads = min_loads(graph, packages.front(), n / 4);
    state.ResumeTiming();
  }
  count(state, graph, loads);
}

const bool registered = [] {
  const auto add = [](const std::string& name, auto function, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...)
        ->Unit(benchmark::kMillisecond);
  };
  add("small/min_loads/product_n40", min, Index{40}, false);
  add("min_loads/product_n200_random_order", min, Index{200}, false);
  add("naive/min_loads/product_n200_random_order", min, Index{200}, true);
  add("min_loads/product_n1000_random_order", min, Index{1000}, false);
  add("min_loads/product_n1000", min_in_rows, Index{1000});
  add("small/hfp/product_n20", packing, Index{20}, false);
  add("naive/hfp/product_n20", packing, Index{20}, true);
  add("hfp/product_n300", packing, Index{300}, false);
  add("hfp/product_n1000", packing, Index{1000}, false);
  return true;
}();

}  // namespace
}  // namespace damocles
