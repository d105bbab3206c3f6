#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "strategies/runtime/unlimited_memory_runtime.hpp"
#include "tests/sim/instant_machine.hpp"
#include "tests/sim/oracle.hpp"

namespace damocles {
namespace {

/// Largest memory this process has held so far: cases that need less than an earlier one show that
/// one's, so run one by --benchmark_filter to see its own.
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts KiB
}

/// Runs `run(replicate)` and reports tasks a second.
template <typename RunOnce>
void measure(benchmark::State& state, const Workload& workload, RunOnce&& run) {
  std::uint64_t replicate = 0;
  std::uint64_t loads = 0;
  for (auto _ : state) {
    loads = run(replicate++).total_loads();
    benchmark::DoNotOptimize(loads);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(workload.tasks()));
  state.counters["loads"] = static_cast<double>(loads);
  state.counters["peak_MiB"] = peak_mib();
}

void simulated(benchmark::State& state, const char* workload_text, const char* platform_text,
               const char* strategy_text) {
  const auto workload = Workload::parse(workload_text);
  const auto platform = Scenario::parse(platform_text).draw(1, 0);
  const auto strategy = StrategyChoice::parse(strategy_text, workload);
  measure(state, workload, [&](std::uint64_t replicate) {
    return simulate(workload, platform, strategy, 1, replicate);
  });
}

/// The same without the fast path: load by load and task by task.
void dispatched(benchmark::State& state, const char* workload_text, const char* platform_text,
                const char* strategy_text) {
  const auto workload = Workload::parse(workload_text);
  const auto platform = Scenario::parse(platform_text).draw(1, 0);
  const auto strategy = StrategyChoice::parse(strategy_text, workload);
  measure(state, workload, [&](std::uint64_t replicate) {
    InstantBackend backend(platform, 1, replicate, InstantBackend::Notes::none);
    UnlimitedMemoryRuntime runtime(workload, platform, strategy, 1, replicate, 1, 1, backend);
    return backend.run(runtime);
  });
}

void naive(benchmark::State& state, const char* workload_text, const char* platform_text,
           double beta) {
  const auto workload = Workload::parse(workload_text);
  const auto platform = Scenario::parse(platform_text).draw(1, 0);
  measure(state, workload, [&](std::uint64_t replicate) {
    return oracle::simulate(workload, platform, "dynamic-2phases", beta, 1, replicate);
  });
}

/// Fast and naive side by side, the naive one scans every task at every request.
BENCHMARK_CAPTURE(simulated, matrix_n20_p20_beta3, "matrix:n=20", "homogeneous:p=20",
                  "dynamic-2phases:beta=3")
    ->Name("small/simulate/matrix_n20_p20_beta3")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(naive, matrix_n20_p20_beta3, "matrix:n=20", "homogeneous:p=20", 3.0)
    ->Name("naive/matrix_n20_p20_beta3")
    ->Unit(benchmark::kMillisecond);

/// The sizes of the paper's figures, by the fast path and without it.
void figures(const std::string& name, const char* workload, const char* platform,
             const char* strategy) {
  benchmark::RegisterBenchmark(("simulate/" + name).c_str(), simulated, workload, platform,
                               strategy)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("dispatched/" + name).c_str(), dispatched, workload, platform,
                               strategy)
      ->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  const char* const matrix = "matrix:n=100";
  const char* const p300 = "homogeneous:p=300";
  figures("matrix_n100_p300_beta3", matrix, p300, "dynamic-2phases:beta=3");
  figures("matrix_n100_p300_dynamic", matrix, p300, "dynamic");
  figures("matrix_n100_p300_random", matrix, p300, "random");
  figures("matrix_n100_p300_sorted", matrix, p300, "sorted");
  figures("outer_n1000_p300_beta5", "outer:n=1000", p300, "dynamic-2phases:beta=5");
  benchmark::RegisterBenchmark("simulate/matrix_n1000_p100_beta3", simulated, "matrix:n=1000",
                               "homogeneous:p=100", "dynamic-2phases:beta=3")
      ->Unit(benchmark::kSecond)
      ->Iterations(1);  // 10^9 tasks
  return true;
}();

}  // namespace
}  // namespace damocles

BENCHMARK_MAIN();
