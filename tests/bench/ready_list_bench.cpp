#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>

#include "strategies/parts/ready_list.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

TaskGraph product(Index n, bool uniform) {
  TaskGraph::Parts parts;
  for (Index d = 0; d < 2 * n; ++d) parts.bytes.push_back(uniform ? 1 : 100 + d % 37);
  for (Index t = 0; t < n * n; ++t) parts.add_task(std::array<Index, 2>{t / n, n + t % n}, 1);
  return TaskGraph(std::move(parts));
}

/// Ready (IPDPS22, Algorithm 2) on one processor that keeps the `capacity` data used last.
void ready_under_lru(benchmark::State& state, Index n, bool uniform, std::size_t capacity) {
  const auto graph = product(n, uniform);
  constexpr ProcessorId processor{0};
  std::uint64_t loads = 0;
  for (auto _ : state) {
    loads = 0;
    ReadyList lists(graph, 1);
    for (Index t = 0; t < graph.tasks(); ++t) lists.push_back(processor, t);
    std::vector<Index> used;  // least recently first
    while (const auto task = lists.take_readiest(processor)) {
      for (const Index input : graph.inputs(*task)) {
        const auto found = std::find(used.begin(), used.end(), input);
        if (found != used.end()) {
          std::rotate(found, found + 1, used.end());
          continue;
        }
        if (used.size() == capacity) {
          lists.on_evicted(processor, used.front());
          used.erase(used.begin());
        }
        used.push_back(input);
        lists.on_loaded(processor, input);
        ++loads;
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.tasks()));
  state.counters["loads"] = static_cast<double>(loads);
}

BENCHMARK_CAPTURE(ready_under_lru, n30, 30, true, 10)
    ->Name("small/ready_list/product_n30_M10")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ready_under_lru, n300, 300, true, 35)
    ->Name("ready_list/product_n300_M35")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ready_under_lru, n300_sizes, 300, false, 35)
    ->Name("ready_list/product_n300_M35_of_37_sizes")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ready_under_lru, n1000, 1000, true, 250)
    ->Name("ready_list/product_n1000_M250")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace damocles
