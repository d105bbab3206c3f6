#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/limited_run.hpp"
#include "strategies/eviction.hpp"
#include "tests/strategies/darts_oracle.hpp"

namespace damocles {
namespace {

using Index = Bipartite::Index;

/// Processors that take turns: each asks, loads what its task lacks into a memory of `capacity`
/// data, evicting as its policy says, and runs the task in no time. What is measured is then the
/// strategy and its policy, and next to nothing else.
class Turns final : public Residents {
 public:
  Turns(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
        std::size_t capacity, std::uint64_t seed)
      : graph_(workload.graph()),
        memory_(platform.processors(), workload.data()),
        strategy_(
            choice.make({workload, platform, memory_, choice.spec, Rng(seed, Draw::strategy, 0)})),
        eviction_(eviction_named(choice.eviction())
                      .make({platform.processors(), workload.data(), *strategy_,
                             Rng(seed, Draw::eviction, 0)})),
        held_(platform.processors(), 0),
        capacity_(capacity) {}

  /// Loads of all tasks.
  std::uint64_t run() {
    std::size_t left = graph_.tasks();
    Grant grant;
    while (left > 0) {
      for (std::uint32_t p = 0; p < held_.size() && left > 0; ++p) {
        processor_ = ProcessorId{p};
        grant.clear();
        strategy_->request(processor_, grant);
        grant.tasks.for_each([&](TaskId task) {
          run_task(static_cast<Index>(raw(task)));
          --left;
        });
      }
    }
    return loads_;
  }

  [[nodiscard]] bool evictable(DataId data) const override {
    const auto inputs = graph_.inputs(task_);
    return memory_.resident(processor_, data) &&
           std::find(inputs.begin(), inputs.end(), raw(data)) == inputs.end();
  }
  [[nodiscard]] std::uint32_t buffered_uses(DataId) const override { return 0; }
  [[nodiscard]] std::uint64_t next_use(DataId data) const override {
    return strategy_->next_use(processor_, data);
  }

 private:
  void run_task(Index task) {
    task_ = task;
    for (const Index input : graph_.inputs(task)) {
      const DataId data{input};
      if (memory_.resident(processor_, data)) continue;
      if (held_[raw(processor_)] == capacity_) evict();
      ++held_[raw(processor_)];
      ++loads_;
      memory_.load(processor_, data);
      eviction_->on_loaded(processor_, data);
      strategy_->on_loaded(processor_, data);
    }
    for (const Index input : graph_.inputs(task)) eviction_->on_used(processor_, DataId{input});
    strategy_->on_started(processor_, TaskId{task});
  }

  void evict() {
    const auto victim = eviction_->victim(processor_, *this);
    --held_[raw(processor_)];
    memory_.evict(processor_, *victim);
    eviction_->on_evicted(processor_, *victim);
    strategy_->on_evicted(processor_, *victim);
  }

  const Bipartite& graph_;
  NodeMemory memory_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Eviction> eviction_;
  std::vector<std::size_t> held_;
  std::size_t capacity_;
  ProcessorId processor_{0};
  Index task_ = 0;
  std::uint64_t loads_ = 0;
};

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
