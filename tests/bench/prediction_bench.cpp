#include <benchmark/benchmark.h>

#include <string>

#include "models/platforms/scenario.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// One prediction with limited memory, without the task graph and the lower bounds beside it in a
/// row of `damocles predict`.
void predicted(benchmark::State& state, const std::string& platform_text,
               const std::string& strategy_text) {
  const auto workload = Workload::parse("gemm2d:n=1000");
  const auto platform = Scenario::parse(platform_text).draw(1, 0);
  const auto choice = StrategyChoice::parse(strategy_text, workload);
  const auto& predictor = Table<LimitedPredictor>::named(choice.entry->name);
  const LimitedRun run = limited_run(workload, platform, choice.eviction(), choice.entry->depth);
  for (auto _ : state) benchmark::DoNotOptimize(predictor.predict(run).loads);
}

/// `prediction/STRATEGY_kK`: 10^6 tasks on K GPUs of 500 MB.
const bool predictions_registered = [] {
  for (const std::string gpus : {"1", "4"}) {
    for (const std::string strategy :
         {"dynamic", "random", "lws", "heft", "dmda", "dmdar", "random-by-speed", "darts", "hybrid",
          "hypergraph", "hfp", "modular-heft", "panel-streaming", "portfolio"}) {
      benchmark::RegisterBenchmark(("prediction/" + strategy + "_k" + gpus).c_str(),
                                   [=](benchmark::State& state) {
                                     predicted(state, "gpus:k=" + gpus + ",memory=500MB", strategy);
                                   })
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace damocles
