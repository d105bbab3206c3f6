#include <benchmark/benchmark.h>

#include <string>

#include "models/platforms/memory_limits.hpp"
#include "models/platforms/scenario.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Making the strategy, which decides everything before the start: panels, orders, rehearsals.
void make(benchmark::State& state, const std::string& text, const std::string& gpus) {
  const Workload workload = Workload::parse(text);
  const Platform platform = Scenario::parse(gpus).draw(1, 0);
  const StrategyChoice choice = StrategyChoice::parse("panel-streaming", workload);
  const NodeMemory memory(platform.processors(), workload.data());
  (void)workload.graph();  // written out once, before
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        choice.make({workload, platform, memory, choice.spec, Rng(1, Draw::strategy, 0),
                     memory_bytes(*platform.machine, workload)}));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(workload.tasks()));
  state.counters["s/task"] = benchmark::Counter(
      static_cast<double>(workload.tasks()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const bool registered = [] {
  const auto add = [](const std::string& name, const std::string& workload) {
    for (const char* const k : {"1", "4"}) {
      const std::string gpus = std::string("gpus:memory=500MB,k=") + k;
      benchmark::RegisterBenchmark((name + "/k" + k).c_str(), make, workload, gpus)
          ->Unit(benchmark::kMillisecond);
    }
  };
  add("small/panel_streaming/2d_n20", "gemm2d:n=20");
  add("panel_streaming/2d_n1000", "gemm2d:n=1000");
  add("panel_streaming/3d_n100", "gemm3d:n=100");
  add("panel_streaming/3d_n100_c", "gemm3d:n=100,c=yes");
  add("panel_streaming/cholesky_n180", "cholesky:n=180,deps=false");
  add("panel_streaming/sparse_n7000", "sparse2d:n=7000");
  return true;
}();

}  // namespace
}  // namespace damocles
