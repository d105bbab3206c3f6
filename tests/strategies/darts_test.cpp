#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "models/runs/trace.hpp"
#include "sim/limited_run.hpp"
#include "tests/strategies/darts_oracle.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles::darts_test {
namespace {

using Index = TaskGraph::Index;

/// Everything that happened in a run of a strategy.
std::vector<RunEvent> events(const Workload& workload, const std::string& platform,
                             const StrategyChoice& choice, std::uint64_t seed) {
  std::vector<RunEvent> seen;
  (void)simulate_limited(workload, Scenario::parse(platform).draw(seed, 0), choice, seed, 0,
                         [&](const RunEvent& event) { seen.push_back(event); });
  return seen;
}

std::uint64_t largest_footprint(const TaskGraph& graph) {
  std::uint64_t most = 0;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    most = std::max(most, graph.footprint(static_cast<Index>(t)));
  }
  return most;
}

std::uint64_t all_bytes(const TaskGraph& graph) {
  std::uint64_t sum = 0;
  for (std::size_t d = 0; d < graph.data(); ++d) sum += graph.bytes(static_cast<Index>(d));
  return sum;
}

Workload random_workload(std::uint64_t seed) {
  Rng rng(seed, Draw::test, 0);
  return Workload::of_graph(fmt::format("random graph {}", seed),
                            oracle::random_graph(rng, 40, 12, 4, 5));
}

/// Data 2 and 5 of 6 are read by nobody, tasks 0 and 4 read nothing.
Workload with_idle_data_and_tasks() {
  TaskGraph::Parts parts;
  parts.bytes.assign(6, 10);
  for (const auto& inputs : std::vector<std::vector<Index>>{
           {}, {0, 1}, {1, 3}, {0, 3}, {}, {3, 4}, {0, 4}, {0, 1, 3}, {1}}) {
    parts.add_task(inputs, 1e6);
  }
  return Workload::of_graph("idle data and tasks", TaskGraph(std::move(parts)));
}

Workload with_priorities() {
  Rng rng(77, Draw::test, 0);
  auto parts = oracle::random_graph(rng, 30, 10, 3, 5).parts();
  for (std::size_t t = 0; t < parts.flops.size(); ++t) {
    parts.priorities.push_back(static_cast<double>(rng.below(3)));
  }
  return Workload::of_graph("priorities", TaskGraph(std::move(parts)));
}

std::vector<Workload> workloads() {
  std::vector<Workload> result;
  for (const auto* text : {"gemm2d:n=6", "gemm2d:m=3,n=9", "gemm2d:n=6,order=random,seed=4",
                           "gemm3d:n=3", "gemm3d:n=3,c=yes", "gemm3d:m=2,n=3,k=4,c=later",
                           "cholesky:n=5,deps=false", "sparse2d:n=12,density=0.25,seed=2"}) {
    result.push_back(Workload::parse(text));
  }
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) result.push_back(random_workload(seed));
  result.push_back(with_idle_data_and_tasks());
  result.push_back(with_priorities());
  return result;
}

/// The fast strategy against the scanning one, by every event of the run with its time.
class Darts : public testing::TestWithParam<std::string> {};

TEST_P(Darts, DecidesAsTheNaiveAlgorithmDoes) {
  std::size_t evictions = 0;
  for (const Workload& workload : workloads()) {
    const auto fast = StrategyChoice::parse(GetParam(), workload);
    StrategyEntry entry = *fast.entry;
    entry.make = make<oracle::NaiveDarts>;
    const StrategyChoice naive{&entry, fast.spec};
    const std::uint64_t least = largest_footprint(workload.graph());
    const std::uint64_t most = std::max(all_bytes(workload.graph()), least);
    for (const int processors : {1, 2, 3}) {
      for (const std::uint64_t part : {0, 1, 2, 6}) {
        const auto platform = fmt::format("gpus:k={},memory={}B,depth={}", processors,
                                          least + (most - least) * part / 6, part == 1 ? 1 : 4);
        for (const std::uint64_t seed : {1, 2, 3}) {
          SCOPED_TRACE(testing::Message()
                       << workload.text() << " " << platform << " seed " << seed);

          const auto got = events(workload, platform, fast, seed);

          ASSERT_TRUE(got == events(workload, platform, naive, seed));
          evictions += static_cast<std::size_t>(std::count_if(
              got.begin(), got.end(),
              [](const RunEvent& event) { return event.kind == RunEvent::Kind::evicted; }));
        }
      }
    }
  }
  EXPECT_GT(evictions, 1000U);  // else memory was never tight, and little has been compared
}

INSTANTIATE_TEST_SUITE_P(
    Options, Darts,
    testing::Values("darts", "darts:inputs=3", "darts:opti=true", "darts:opti=true,inputs=3",
                    "darts:threshold=1", "darts:threshold=5", "darts:threshold=5,inputs=3",
                    "darts:choice=starpu", "darts:choice=starpu,threshold=5", "darts:eviction=lru",
                    "darts:eviction=lru,evicted=back", "darts:evicted=lost,threshold=3",
                    "darts:eviction=lru,inputs=3", "darts:eviction=fifo",
                    "darts:eviction=fifo,choice=starpu", "darts:choice=starpu,opti=true",
                    "darts:eviction=belady", "darts:eviction=random"));

}  // namespace
}  // namespace damocles::darts_test
