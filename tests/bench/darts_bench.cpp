#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/bench/turns.hpp"
#include "tests/strategies/darts_oracle.hpp"

namespace damocles {
namespace {

/// DARTS+LUF alone, its making included: 2D product of n x n tasks, M data a processor. With
/// `naive` by scans.
void decisions(benchmark::State& state, std::uint64_t n, std::size_t processors, std::size_t memory,
               const std::string& strategy, bool naive) {
  const auto workload = Workload::parse(fmt::format("gemm2d:n={}", n));
  (void)workload.graph();
  const Platform platform{std::vector<double>(processors, 1.0), 0};
  auto choice = StrategyChoice::parse(strategy, workload);
  StrategyEntry entry = *choice.entry;
  if (naive) {
    entry.make = make<oracle::NaiveDarts>;
    choice.entry = &entry;
  }
  std::uint64_t loads = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) loads = Turns(workload, platform, choice, memory, ++seed).run();
  const auto tasks = static_cast<double>(workload.tasks());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(workload.tasks()));
  state.counters["loads"] = static_cast<double>(loads);
  state.counters["s/task"] = benchmark::Counter(
      tasks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// A whole simulated run: engine, bus, prefetches, strategy and policy.
void simulated(benchmark::State& state, const std::string& workload_text,
               const std::string& platform_text, const std::string& strategy) {
  const auto workload = Workload::parse(workload_text);
  (void)workload.graph();
  const auto platform = Scenario::parse(platform_text).draw(1, 0);
  const auto choice = StrategyChoice::parse(strategy, workload);
  std::uint64_t loads = 0;
  for (auto _ : state) loads = simulate_limited(workload, platform, choice, 1, 0).total_loads();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(workload.tasks()));
  state.counters["loads"] = static_cast<double>(loads);
}

void register_decisions(const std::string& name, std::uint64_t n, std::size_t processors,
                        std::size_t memory, bool naive = false, const char* strategy = "darts") {
  benchmark::RegisterBenchmark(name.c_str(), decisions, n, processors, memory, strategy, naive)
      ->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  register_decisions("small/darts/product_n30_K2", 30, 2, 8);
  register_decisions("naive/darts/product_n30_K2", 30, 2, 8, true);
  register_decisions("darts/product_n200", 200, 1, 50);
  register_decisions("naive/darts/product_n200", 200, 1, 50, true);
  register_decisions("darts/product_n300", 300, 1, 75);
  register_decisions("darts/product_n1000", 1000, 1, 250);
  register_decisions("darts/product_n1000_K8", 1000, 8, 250);
  register_decisions("darts/product_n1000_starpu", 1000, 1, 250, false, "darts:choice=starpu");
  benchmark::RegisterBenchmark("simulate_limited/product_n300_2gpus_darts", simulated,
                               "gemm2d:n=300", "gpus:k=2,memory=500MB", "darts")
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace damocles
