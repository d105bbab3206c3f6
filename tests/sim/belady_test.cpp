// Belady's rule where tasks depend on each other: MIN where the order is known, beside the least
// loads that any evictions need, found by trying all of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"
#include "sim/simulate.hpp"
#include "strategies/parts/known_order.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::belady_test {
namespace {

using Index = TaskGraph::Index;
constexpr std::size_t items = 6;
constexpr std::size_t room = 3;
constexpr std::size_t tasks = 14;

/// The fewest loads for the tasks in this order: over all sets that memory may hold after each.
std::uint64_t fewest_loads(const TaskGraph& graph, const std::vector<Index>& order) {
  constexpr std::uint64_t never = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint64_t> least(1U << items, never);  // by set
  least[0] = 0;
  for (const Index task : order) {
    unsigned needed = 0;
    for (const Index data : graph.inputs(task)) needed |= 1U << data;
    std::vector<std::uint64_t> next(least.size(), never);
    for (unsigned held = 0; held < least.size(); ++held) {
      const std::uint64_t loads =
          least[held] + static_cast<std::uint64_t>(std::popcount(needed & ~held));
      for (unsigned kept = 0; kept < next.size(); ++kept) {
        const bool possible = (kept & needed) == needed && (kept & ~(held | needed)) == 0 &&
                              std::popcount(kept) <= static_cast<int>(room);
        if (possible) next[kept] = std::min(next[kept], loads);
      }
    }
    least = next;
  }
  return *std::min_element(least.begin(), least.end());
}

/// Tasks that read one to three items; each waits for the one before with this probability, or for
/// some other before it.
Workload drawn(Rng& rng, double chained) {
  TaskGraph::Parts parts{
      .bytes = std::vector<std::uint64_t>(items, 1000), .inputs = {}, .flops = {}};
  for (Index task = 0; task < tasks; ++task) {
    std::vector<Index> reads;
    for (std::uint64_t left = 1 + rng.below(room); left > 0; --left) {
      reads.push_back(static_cast<Index>(rng.below(items)));
    }
    parts.add_task(reads, 1e6);
    if (task == 0) continue;
    const bool next = rng.uniform() < chained;
    parts.dependencies.emplace_back(task, next ? task - 1 : static_cast<Index>(rng.below(task)));
  }
  return Workload::of_graph("drawn", TaskGraph(std::move(parts)));
}

struct Ran {
  std::uint64_t loads = 0;
  std::vector<Index> order;
};

Ran ran(const Workload& workload, const Platform& platform, const StrategyChoice& choice) {
  Ran result;
  result.loads = simulate(workload, platform, choice, 1, 0, {}, [&](const RunEvent& event) {
                   if (event.kind == RunEvent::Kind::task_started) {
                     result.order.push_back(static_cast<Index>(event.id));
                   }
                 }).total_loads();
  return result;
}

const Platform& one_gpu() {
  static const Platform platform =
      Scenario::parse("gpus:k=1,memory=3data,depth=1,jitter=off").draw(1, 0);
  return platform;
}

class EveryBelady : public testing::TestWithParam<std::string> {};

std::vector<std::string> of_dependent_tasks() {
  std::vector<std::string> names;
  for (const auto& entry : strategies()) {
    if (entry.supports_dependencies && !entry.reads_placement) names.push_back(entry.name);
  }
  return names;
}

TEST_P(EveryBelady, LoadsLeastOnAChain) {
  Rng rng(7, Draw::strategy, 0);
  for (int draw = 0; draw < 40; ++draw) {
    const Workload workload = drawn(rng, 1);
    const auto choice = StrategyChoice::parse(GetParam() + ":eviction=belady", workload);

    const Ran run = ran(workload, one_gpu(), choice);

    EXPECT_TRUE(order_is_known(choice, workload, one_gpu()));
    EXPECT_EQ(run.loads, fewest_loads(workload.graph(), run.order)) << "draw " << draw;
  }
}

TEST_P(EveryBelady, LoadsLeastWhereTheOrderIsKnown) {
  Rng rng(8, Draw::strategy, 0);
  for (int draw = 0; draw < 40; ++draw) {
    const Workload workload = drawn(rng, 0.3);
    const auto choice = StrategyChoice::parse(GetParam() + ":eviction=belady", workload);
    if (!order_is_known(choice, workload, one_gpu())) continue;

    const Ran run = ran(workload, one_gpu(), choice);

    EXPECT_EQ(run.loads, fewest_loads(workload.graph(), run.order)) << "draw " << draw;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryBelady, testing::ValuesIn(of_dependent_tasks()),
                         [](const auto& test) { return test_name(test.param); });

TEST(Belady, KnowsTheOrderOfListsAndOfOneQueue) {
  const auto knows = [](const std::string& strategy, const std::string& tasks_of,
                        const std::string& platform) {
    const Workload workload = Workload::parse(tasks_of);
    return order_is_known(StrategyChoice::parse(strategy, workload), workload,
                          Scenario::parse(platform).draw(1, 0));
  };
  const std::string ordered = "stencil:n=4,steps=3";
  const std::string one = "gpus:k=1,memory=20data,depth=1";
  const std::string two = "gpus:k=2,memory=20data,depth=1";

  EXPECT_TRUE(knows("heft", ordered, two));
  EXPECT_FALSE(knows("heft:buffer=ready", ordered, two));
  EXPECT_TRUE(knows("eager", ordered, one));
  EXPECT_FALSE(knows("eager", ordered, two));
  EXPECT_TRUE(knows("eager", "gemm2d:n=4", two));
  EXPECT_FALSE(knows("eager", "gemm2d:n=4", "gpus:k=1,cpus=1,cpu_gflops=40,memory=20data"));
  EXPECT_TRUE(knows("memory-order", ordered, one));
  EXPECT_FALSE(knows("memory-order", ordered, "gpus:k=1,memory=20data"));
  EXPECT_FALSE(knows("dmdas", ordered, one));
}

/// What is guessed where the order is not known is worth more than chance.
TEST(Belady, LoadsNoMoreThanRandomEvictionsOnAStencil) {
  const Workload workload = Workload::parse("stencil:n=8,steps=10");
  for (const std::string platform : {"gpus:k=1,memory=20data,depth=1", "gpus:k=2,memory=20data"}) {
    for (const std::string strategy : {"eager", "prio", "dmdas", "lws", "memory-order", "heft"}) {
      const auto loads = [&](const std::string& eviction) {
        return ran(workload, Scenario::parse(platform).draw(1, 0),
                   StrategyChoice::parse(strategy + ":eviction=" + eviction, workload))
            .loads;
      };
      EXPECT_LE(loads("belady"), loads("random")) << strategy << " on " << platform;
    }
  }
}

}  // namespace
}  // namespace damocles::belady_test
