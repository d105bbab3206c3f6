#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "orders/mst_order.hpp"
#include "orders/rcm_order.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// n x n x n tasks, each reading a tile of A, of B and of C.
TaskGraph product_3d(Index n) {
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{3} * n * n, 1);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        parts.add_task(std::array<Index, 3>{i * n + k, n * n + k * n + j, 2 * n * n + i * n + j},
                       1);
      }
    }
  }
  return TaskGraph(std::move(parts));
}

/// The 2D product with its rows cut into two data items each, which every two tasks of a row share:
/// none of them is shared alone, so Prim walks them for every task.
TaskGraph product_of_halves(Index n) {
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{3} * n, 1);
  for (Index t = 0; t < n * n; ++t) {
    parts.add_task(std::array<Index, 3>{t / n, n + t / n, 2 * n + t % n}, 1);
  }
  return TaskGraph(std::move(parts));
}

void order(benchmark::State& state, std::vector<Index> (*order_of)(const TaskGraph&),
           const TaskGraph& graph) {
  for (auto _ : state) benchmark::DoNotOptimize(order_of(graph).data());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.tasks()));
}

BENCHMARK_CAPTURE(order, rcm, rcm_order, oracle::product(30))->Name("small/rcm_order/product_n30");
BENCHMARK_CAPTURE(order, mst, mst_order, oracle::product(30))->Name("small/mst_order/product_n30");

/// Graphs of a million tasks are made when their case runs, not when the program starts.
void register_case(const std::string& name, std::vector<Index> (*order_of)(const TaskGraph&),
                   TaskGraph (*make)(Index), Index n) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    order(state, order_of, make(n));
  })->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  register_case("rcm_order/product_n300", rcm_order, oracle::product, 300);
  register_case("rcm_order/product_n1000", rcm_order, oracle::product, 1000);
  register_case("rcm_order/product_3d_n100", rcm_order, product_3d, 100);
  register_case("mst_order/product_n300", mst_order, oracle::product, 300);
  register_case("mst_order/product_n1000", mst_order, oracle::product, 1000);
  register_case("mst_order/product_3d_n100", mst_order, product_3d, 100);
  register_case("mst_order/product_of_halves_n300", mst_order, product_of_halves, 300);
  return true;
}();

}  // namespace
}  // namespace damocles
