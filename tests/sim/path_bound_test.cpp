// The bound on time by heads and tails of tasks, beside runs of every strategy.

#include "models/bounds/path_bound.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/bounds/workload_bound.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "strategies/registry.hpp"
#include "strategies/strategy.hpp"
#include "tests/sim/naive/draws.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::path_bound_test {
namespace {

using Index = TaskGraph::Index;

struct Instance {
  Workload workload;
  Platform platform;
  std::string text;
};

MakespanBound bound_of(const Workload& workload, const Platform& platform, std::uint64_t run) {
  return workload_makespan_bound(workload, platform, Durations::drawn(workload, platform, 1, run),
                                 workload_load_bound(workload, *platform.machine));
}

/// The shortest run of the strategies that are defined there.
double best_run_s(const Workload& workload, const Platform& platform, std::uint64_t run) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& entry : strategies()) {
    if (entry.name == "portfolio" || entry.reads_placement) continue;
    if (!why_not_built(entry).empty() || !defined_on(entry.name, workload)) continue;
    try {
      const auto choice = StrategyChoice::parse(entry.name, workload);
      best = std::min(best, simulate_limited(workload, platform, choice, 1, run).makespan_s);
    } catch (const InvalidInput&) {  // not defined on these processors
    }
  }
  return best;
}

/// Tasks of about a second, data items of about three megabytes that take from a quarter of a
/// second to four, memory for all of them.
Instance draw(Rng& rng, bool writes, std::uint64_t processors, std::uint64_t most_tasks = 13) {
  TaskGraph::Parts parts;
  const auto tasks = 2 + rng.below(most_tasks - 1);
  const auto inputs = 1 + rng.below(tasks);
  const auto add_data = [&] {
    parts.bytes.push_back(1'000'000 + rng.below(4'000'000));
    return static_cast<Index>(parts.bytes.size() - 1);
  };
  for (std::uint64_t d = 0; d < inputs; ++d) add_data();
  for (std::uint64_t t = 0; t < tasks; ++t) {
    std::vector<Index> data;
    for (auto count = 1 + rng.below(3); count > 0; --count) {
      const auto one = static_cast<Index>(rng.below(parts.bytes.size()));
      if (std::find(data.begin(), data.end(), one) == data.end()) data.push_back(one);
    }
    std::vector<Access> how(data.size(), Access::read);
    const auto kind = rng.below(4);
    if (kind < 2) how[0] = Access::read_write;
    if (kind == 2) how[0] = Access::write;
    if (kind == 3) {
      data.push_back(add_data());
      how.push_back(Access::write);
    }
    const double flops = 1e9 * (0.2 + 2 * rng.uniform());
    if (writes) {
      parts.add_task(data, how, flops);
    } else {
      parts.add_task(data, flops);
    }
  }
  const std::string text = fmt::format(
      "gpus:k={},gflops=1,memory=1GB,bandwidth={}MB/s,latency=1us,jitter=off{}{}", processors,
      3 * std::pow(4, 1 - 2 * rng.uniform()), rng.below(2) == 0 ? "" : ",writeback=true",
      rng.below(2) == 0 ? "" : ",duplex=true");
  return {.workload = Workload::of_graph("drawn", TaskGraph(std::move(parts))),
          .platform = Scenario::parse(text).draw(1, 0),
          .text = text};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

using Lists = std::vector<std::vector<Index>>;

/// Each processor runs its list in order, and fetches ahead what is next there.
class Listed final : public Strategy {
 public:
  Listed(const TaskGraph& graph, const Lists& lists)
      : graph_(graph), lists_(lists), next_(lists.size(), 0), ready_(graph.tasks()) {
    std::fill(ready_.begin(), ready_.end(), !graph.ordered());
  }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    ready_[raw(task)] = true;
    return std::nullopt;
  }
  void request(ProcessorId processor, Grant& grant) override {
    const auto& list = lists_[raw(processor)];
    std::size_t& next = next_[raw(processor)];
    if (next == list.size() || !ready_[list[next]]) return;
    grant.tasks.add(TaskId{list[next++]});
    for (std::size_t later = next; later < list.size(); ++later) {
      for (const Index data : graph_.inputs(list[later])) grant.loads.push_back(DataId{data});
    }
  }

 private:
  const TaskGraph& graph_;
  const Lists& lists_;
  std::vector<std::size_t> next_;
  std::vector<bool> ready_;
};

/// The best run over all ways to share the tasks among the processors, in all orders. Lists that
/// wait for each other in a circle do not end, and count for nothing.
double exhaustive_best_s(const Instance& drawn) {
  // At a depth of 1 the hints of a grant last until the task has ended.
  const Platform platform = Scenario::parse(drawn.text + ",depth=1").draw(1, 0);
  const TaskGraph& graph = drawn.workload.graph();
  Lists lists;
  const StrategyEntry entry{
      .name = "listed",
      .source = "",
      .summary = "",
      .make = [&](const StrategyContext&) { return std::make_unique<Listed>(graph, lists); },
      .supports_dependencies = true,
      .loads_implicit = true};
  StrategyChoice choice = StrategyChoice::parse("eager", drawn.workload);
  choice.entry = &entry;
  std::vector<Index> order(graph.tasks());
  std::iota(order.begin(), order.end(), Index{0});
  double best_s = std::numeric_limits<double>::infinity();
  do {
    // The number in base P of which digit i says who runs task order[i].
    const auto shares = static_cast<std::uint64_t>(
        std::llround(std::pow(platform.processors(), static_cast<double>(order.size()))));
    for (std::uint64_t share = 0; share < shares; ++share) {
      lists.assign(platform.processors(), {});
      std::uint64_t rest = share;
      for (const Index task : order) {
        lists[rest % lists.size()].push_back(task);
        rest /= lists.size();
      }
      try {
        const auto trace = simulate_limited(drawn.workload, platform, choice, 1, 0);
        best_s = std::min(best_s, trace.makespan_s);
      } catch (const std::runtime_error&) {  // a circle of waits
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return best_s;
}

/// Two tasks of 2 s on one bus of 1 MB/s without latency. The first waits for A of 1 MB, the second
/// for what the first makes; then B goes to host memory, and C, of 1 MB each.
TEST(PathBound, CountsTheFirstLoadAndTheLastReturn) {
  for (const bool back : {false, true}) {
    TaskGraph::Parts parts;
    parts.bytes = {1'000'000, 1'000'000, 1'000'000};
    parts.add_task(std::array<Index, 2>{0, 1}, std::array{Access::read, Access::write}, 2e9);
    parts.add_task(std::array<Index, 2>{1, 2}, std::array{Access::read, Access::write}, 2e9);
    const auto workload = Workload::of_graph("two", TaskGraph(std::move(parts)));
    const Platform platform =
        Scenario::parse(
            std::string("gpus:k=1,gflops=1,memory=1GB,bandwidth=1MB/s,latency=0,jitter=off") +
            (back ? ",writeback=true" : ""))
            .draw(1, 0);

    const auto bound = bound_of(workload, platform, 0);

    // 1 + 2 + 2 + 1, and B, which may go to host memory meanwhile in the simulator only at the end.
    EXPECT_DOUBLE_EQ(bound.seconds, back ? 6 : 5);
    EXPECT_EQ(bound.argument, "critical path");
    if (!back) {
      EXPECT_DOUBLE_EQ(best_run_s(workload, platform, 0), 5);
    }
  }
}

TEST(PathBound, IsBelowEveryRunOnDrawnMachines) {
  Rng rng(22, Draw::test, 0);
  for (std::uint64_t run = 0; run < 300; ++run) {
    const auto processors = static_cast<naive::Processors>(rng.below(3));
    const naive::Drawn drawn = rng.below(4) == 0 ? naive::draw_reading(rng, processors)
                                                 : naive::draw_writing(rng, processors);
    const auto bound = bound_of(drawn.workload, drawn.platform, run);
    ASSERT_GE(best_run_s(drawn.workload, drawn.platform, run) * (1 + 1e-9), bound.seconds)
        << bound.argument << ", run " << run << ": " << drawn;
  }
}

TEST(PathBound, IsNearTheBestRunsOfRandomGraphs) {
  Rng rng(23, Draw::test, 0);
  std::array<std::vector<double>, 2> gaps;  // on one processor, on several
  for (std::uint64_t run = 0; run < 600; ++run) {
    const std::uint64_t processors = 1 + rng.below(3);
    const Instance drawn = draw(rng, run % 4 != 0, processors);
    const auto bound = bound_of(drawn.workload, drawn.platform, run);
    const double best_s = best_run_s(drawn.workload, drawn.platform, run);
    ASSERT_GE(best_s * (1 + 1e-9), bound.seconds) << bound.argument << ": " << drawn.text;
    gaps[processors == 1 ? 0 : 1].push_back(1 - bound.seconds / best_s);
  }
  // No strategy is optimal there: the gap of the bound alone is smaller.
  EXPECT_LE(median(gaps[0]), 0.1);
  EXPECT_LE(median(gaps[1]), 0.2);
}

TEST(PathBound, IsNearTheOptimumOfSmallRandomGraphs) {
  Rng rng(23, Draw::test, 1);
  for (const std::uint64_t processors : {2, 3}) {
    std::vector<double> gaps;
    for (std::uint64_t run = 0; run < 120; ++run) {
      const Instance drawn = draw(rng, run % 4 != 0, processors, 4);
      const auto bound = bound_of(drawn.workload, drawn.platform, 0);
      const double best_s = exhaustive_best_s(drawn);
      ASSERT_GE(best_s * (1 + 1e-9), bound.seconds) << bound.argument << ": " << drawn.text;
      gaps.push_back(1 - bound.seconds / best_s);
    }
    EXPECT_LE(median(gaps), 0.1) << processors;
  }
}

}  // namespace
}  // namespace damocles::path_bound_test
