#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles {
namespace {

/// One run; and its time over its events, which are the starts and ends of loads and tasks.
void simulated_in_limits(benchmark::State& state, const std::string& workload_text,
                         const std::string& platform_text, const std::string& strategy_text) {
  const auto workload = Workload::parse(workload_text);
  const auto platform = Scenario::parse(platform_text).draw(1, 0);
  const auto strategy = StrategyChoice::parse(strategy_text, workload);
  std::uint64_t loads = 0;
  for (auto _ : state) {
    loads = simulate_limited(workload, platform, strategy, 1, 0).total_loads();
    benchmark::DoNotOptimize(loads);
  }
  const auto events = 2 * static_cast<double>(loads + workload.tasks());
  state.counters["loads"] = static_cast<double>(loads);
  state.counters["s_per_event"] =
      benchmark::Counter(events * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void add(const std::string& name, const std::string& workload, const std::string& platform,
         const std::string& strategy) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    simulated_in_limits(state, workload, platform, strategy);
  })->Unit(benchmark::kMillisecond);
}

/// `limited/eager_n100_p4096` beside `limited/eager_n100_p64`: what an event costs where processors
/// are many. It is to be at most 4 times as much: of each processor, some cache lines that nobody
/// has looked at for thousands of events.
/// `limited/waiting_n60_p...`: the same where most processors starve for tasks that wait.
/// `limited/stencil_n40_p.../...`: the same under policies that look for a processor.
/// `limited/cholesky_n180/...`: 10^6 tasks that wait for each other and write, under each policy
/// that follows dependencies.
const bool limited_registered = [] {
  for (const int p : {64, 512, 4096}) {
    for (const int n : {100, 300}) {
      add(fmt::format("limited/eager_n{}_p{}", n, p), fmt::format("gemm2d:n={}", n),
          fmt::format("gpus:k={},memory=500MB", p), "eager");
    }
  }
  for (const int p : {64, 1024, 4096}) {
    add(fmt::format("limited/waiting_n60_p{}", p), "cholesky:n=60,tile=960,deps=true",
        fmt::format("gpus:k={},memory=500MB", p), "eager");
    for (const std::string policy :
         {"eager", "dmda", "dmdas", "dmdasd", "modular-heft", "memory-order", "darts"}) {
      add(fmt::format("limited/stencil_n40_p{}/{}", p, policy), "stencil:n=40,steps=20",
          fmt::format("gpus:k={},memory=500MB", p), policy);
    }
  }
  for (const int n : {60, 180}) {
    const std::string text = fmt::format("cholesky:n={},tile=1920,deps=true", n);
    const auto small = Workload::parse("cholesky:n=2,deps=true");
    for (const auto& choice : every_choice()) {
      if (!defined_on(choice, small)) continue;
      add(fmt::format("limited/cholesky_n{}/{}", n, choice), text, "gpus:k=2,memory=2000MB",
          choice);
    }
  }
  return true;
}();

}  // namespace
}  // namespace damocles
