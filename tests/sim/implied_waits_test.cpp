// A static schedule does not depend on whether somebody wrote down a wait that follows from others.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/rng.hpp"
#include "sim/limited_run.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::implied_waits_run_test {
namespace {

using Index = TaskGraph::Index;

/// Three processors, one of them twice as fast, whose transfers take about as long as tasks.
Platform machine() {
  MachineModel limits{.processors = {}, .bus_bytes_per_s = 2, .latency_s = 0.25};
  for (const double flops_per_s : {1.0, 2.0, 1.0}) {
    limits.processors.push_back(
        {.flops_per_s = flops_per_s, .memory_bytes = 1000, .link_bytes_per_s = 2});
  }
  limits.jitter = 0;
  return {.speeds = {1, 2, 1}, .machine = limits};
}

/// The same graph with `after` for some pairs of which one waits for the other already, over
/// others.
TaskGraph with_implied_waits(const TaskGraph& graph, Rng& rng) {
  TaskGraph::Parts parts = graph.parts();
  const Dependencies& waits = graph.dependencies();
  const auto order = waits.order(graph.tasks());
  std::vector<std::vector<bool>> after(graph.tasks(), std::vector<bool>(graph.tasks()));
  for (std::size_t at = order.size(); at-- > 0;) {
    for (const Index later : waits.after(order[at])) {
      for (Index far = 0; far < graph.tasks(); ++far) {
        if (after[later][far] && rng.below(2) == 0) parts.dependencies.emplace_back(far, order[at]);
        if (after[later][far]) after[order[at]][far] = true;
      }
      after[order[at]][later] = true;
    }
  }
  return TaskGraph(std::move(parts));
}

class EveryStaticSchedule : public testing::TestWithParam<const char*> {};

TEST_P(EveryStaticSchedule, IgnoresWaitsThatOthersImply) {
  Rng rng(17, Draw::test, 0);
  std::size_t added = 0;
  for (int i = 0; i < 150; ++i) {
    TaskGraph::Parts parts = drawn_writing_graph(rng).parts();
    for (double& flops : parts.flops) flops = static_cast<double>(rng.below(5));
    const TaskGraph graph(parts);
    const TaskGraph more = with_implied_waits(graph, rng);
    added += more.dependencies().size() - graph.dependencies().size();
    const Workload plain = Workload::of_graph("plain", graph);
    const Workload redundant = Workload::of_graph("redundant", more);
    const Platform platform = machine();

    const Trace a =
        simulate_limited(plain, platform, StrategyChoice::parse(GetParam(), plain), 1, 0);
    const Trace b =
        simulate_limited(redundant, platform, StrategyChoice::parse(GetParam(), redundant), 1, 0);

    ASSERT_EQ(a, b) << "in instance " << i;
  }
  EXPECT_GT(added, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Classics, EveryStaticSchedule,
                         testing::Values("heft", "lookahead", "cpop", "peft", "hlfet", "etf", "dls",
                                         "min-min", "max-min", "sufferage", "bil"),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::implied_waits_run_test
