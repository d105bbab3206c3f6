#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>

#include "gpu/executor.hpp"
#include "gpu/host/host_device.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

/// What a task costs from the strategy's decision to its end, with copies of 256 B and no kernel.
void executed(benchmark::State& state, const char* workload_text, const char* platform_text,
              const char* strategy_text) {
  const auto workload = Workload::parse(workload_text);
  const auto platform = Scenario::parse(platform_text).draw(1, 0);
  const auto strategy = StrategyChoice::parse(strategy_text, workload);
  const auto arithmetic = Arithmetic::of(
      workload, {.compute = ArithmeticOptions::Compute::empty, .tile = 8, .rank = 8}, 1);
  double seconds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto device = make_host_device({.processors = platform.processors()});
    Store store(arithmetic, *device);
    state.ResumeTiming();
    const auto execution = execute(workload, platform, strategy, arithmetic, store, *device, {});
    if (!execution.failure.empty()) throw std::runtime_error(execution.failure);
    seconds += execution.total_s;
  }
  const double tasks =
      static_cast<double>(state.iterations()) * static_cast<double>(workload.tasks());
  state.counters["us_a_task"] = 1e6 * seconds / tasks;
}

void bench(const char* name, const char* workload, const char* platform, const char* strategy) {
  benchmark::RegisterBenchmark(name, executed, workload, platform, strategy)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

const bool registered = [] {
  const char* const tasks = "gemm2d:n=316,tile=8,k=8";  // 99 856
  bench("small/execute/gemm2d_n20_p2_eager", "gemm2d:n=20,tile=8,k=8", "gpus:k=2,memory=1MB",
        "eager");
  bench("execute/gemm2d_n316_p1_eager", tasks, "gpus:k=1,memory=1MB", "eager");
  bench("execute/gemm2d_n316_p2_eager", tasks, "gpus:k=2,memory=1MB", "eager");
  bench("execute/gemm2d_n316_p2_dmdar", tasks, "gpus:k=2,memory=1MB", "dmdar");
  bench("execute/gemm2d_n316_p16_eager", tasks, "gpus:k=16,memory=1MB", "eager");
  bench("execute/gemm2d_n316_p16_dmdar", tasks, "gpus:k=16,memory=1MB", "dmdar");
  bench("execute/outer_n316_p8_random", "outer:n=316", "homogeneous:p=8", "random");
  bench("execute/outer_n316_p8_beta3", "outer:n=316", "homogeneous:p=8", "dynamic-2phases:beta=3");
  return true;
}();

}  // namespace
}  // namespace damocles
