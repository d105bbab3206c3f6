// Tasks that create much and tasks that consume it: what an order that finishes what is begun
// saves.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::root_tasks_test {
namespace {

using Index = TaskGraph::Index;

/// So many pairs of tasks that create 100 MB each; then for each pair one that consumes both. Each
/// task computes 0.1 s at 10 GFlop/s.
Workload pairs(Index count) {
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{2} * count, 100'000'000);
  parts.bytes.insert(parts.bytes.end(), count, 1000);
  for (Index t = 0; t < 2 * count; ++t) {
    parts.add_task(std::vector{t}, std::vector{Access::write}, 1e9);
  }
  for (Index t = 0; t < count; ++t) {
    parts.add_task(std::vector{2 * t, 2 * t + 1, 2 * count + t},
                   std::vector{Access::read, Access::read, Access::write}, 1e9);
  }
  return Workload::of_graph("root tasks", TaskGraph(std::move(parts)));
}

Trace run(const Workload& workload, const std::string& strategy) {
  const auto platform =
      Scenario::parse("gpus:k=2,memory=1GB,gflops=10,bandwidth=12GB/s,jitter=off").draw(1, 0);
  return simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0);
}

TEST(RootTasks, NeedNoLoadInMemoryOrder) {
  const Workload workload = pairs(32);
  const Trace trace = run(workload, "memory-order");
  EXPECT_EQ(trace.total_loads(), 0);
  // 48 tasks of 0.1 s on each GPU; nobody waits for room.
  EXPECT_NEAR(trace.makespan_s, 4.8, 1e-9);
}

TEST(RootTasks, AreLoadedAgainInTheOrderOfSubmission) {
  EXPECT_GE(run(pairs(32), "eager").total_loads(), 50);
}

TEST(RootTasks, NeedFewLoadsWhereMemoryOrderGivesThePriorities) {
  const Workload workload = pairs(32);
  for (const std::string strategy : {"prio", "dmdap", "dmdas", "ws", "modular-prio"}) {
    const auto given = run(workload, strategy).total_loads();
    EXPECT_LT(run(workload, strategy + ":priorities=memory").total_loads(), given) << strategy;
  }
}

TEST(RootTasks, AreAllRunOnManyProcessorsThatOwnSubtrees) {
  const Workload workload = pairs(5);
  const auto platform =
      Scenario::parse("gpus:k=7,memory=1GB,gflops=10,bandwidth=12GB/s,jitter=off").draw(1, 0);
  const auto trace =
      simulate_limited(workload, platform, StrategyChoice::parse("memory-order", workload), 1, 0);
  // Ten creators and five consumers on seven processors: two rounds, then the consumers.
  EXPECT_GE(trace.makespan_s, 0.3);
  EXPECT_LT(trace.makespan_s, 0.4);
}

}  // namespace
}  // namespace damocles::root_tasks_test
