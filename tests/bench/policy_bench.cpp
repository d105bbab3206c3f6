#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "orders/partition.hpp"
#include "tests/bench/turns.hpp"

namespace damocles {
namespace {

/// A policy alone, its making included: CPU time a task of all decisions, with its own eviction and
/// an eighth of the data in each processor's memory. `damocles_bench --benchmark_filter=^policy/`
/// prints the table; where Belady's rule goes through all that is held (hfp), most of what is not
/// making is that.
void policy(benchmark::State& state, const std::string& workload_text, std::size_t processors,
            const std::string& strategy) {
  const auto workload = Workload::parse(workload_text);
  const auto tasks = static_cast<double>(workload.graph().tasks());
  const Platform platform{std::vector<double>(processors, 1.0), 0};
  const auto choice = StrategyChoice::parse(strategy, workload);
  const std::size_t memory = std::max(workload.graph().widest(), workload.graph().data() / 8);
  std::uint64_t loads = 0;
  double making_s = 0;
  for (auto _ : state) {
    Turns turns(workload, platform, choice, memory, 1);
    loads = turns.run();
    making_s = turns.making_s();
  }
  state.counters["making_s/task"] = making_s / tasks;
  state.counters["loads"] = static_cast<double>(loads);
  state.counters["s/task"] = benchmark::Counter(
      tasks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

struct Family {
  const char* name;
  const char* tiny;
  const char* small;  ///< 10^5 tasks
  const char* large;  ///< 10^6 tasks
};

void add(const std::string& group, const std::string& strategy, const char* workload,
         std::size_t processors) {
  benchmark::RegisterBenchmark(fmt::format("{}/{}/K{}", group, strategy, processors).c_str(),
                               policy, workload, processors, strategy)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

const bool registered = [] {
  const Family families[] = {
      {"2d", "gemm2d:n=20", "gemm2d:n=316", "gemm2d:n=1000"},
      {"3d", "gemm3d:n=7", "gemm3d:n=46", "gemm3d:n=100"},
      {"3d-c", "gemm3d:n=7,c=yes", "gemm3d:n=46,c=yes", "gemm3d:n=100,c=yes"},
      {"cholesky", "cholesky:n=12,deps=false", "cholesky:n=84,deps=false",
       "cholesky:n=181,deps=false"},
      {"sparse", "sparse2d:n=140", "sparse2d:n=2236", "sparse2d:n=7071"}};
  const char* const policies[] = {"eager",
                                  "mst",
                                  "rcm",
                                  "dmda",
                                  "dmdar",
                                  "darts",
                                  "darts:choice=starpu",
                                  "hfp",
                                  "panel-streaming",
                                  "portfolio",
                                  "hypergraph"};
  for (const std::string name : policies) {
    if (name == "hypergraph" && !partition_built()) continue;
    for (const Family& family : families) {
      add(fmt::format("small/policy/{}", family.name), name, family.tiny, 2);
      for (const std::size_t processors : {1U, 2U, 4U, 8U}) {
        add(fmt::format("policy/{}_1e5", family.name), name, family.small, processors);
        add(fmt::format("policy/{}_1e6", family.name), name, family.large, processors);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace damocles
