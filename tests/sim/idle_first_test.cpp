// When a task releases others, processors that are idle take one each before anybody takes a
// second one.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::idle_first_test {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

/// GPUs of 1 flop/s with room for everything, whose transfers take no time to speak of.
Platform gpus(std::size_t count, std::uint64_t depth) {
  Platform platform{.speeds = std::vector<double>(count, 1)};
  platform.machine =
      MachineModel{.processors = {}, .bus_bytes_per_s = 1e12, .depth = depth, .jitter = 0};
  for (std::size_t gpu = 0; gpu < count; ++gpu) {
    platform.machine->processors.push_back(
        {.flops_per_s = 1, .memory_bytes = 1000, .link_bytes_per_s = 1e12});
  }
  return platform;
}

/// A task of 1 s that writes a data item, and `leaves` tasks of 1 s that read it.
Workload fork(Index leaves) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 1);
  for (Index leaf = 0; leaf < leaves; ++leaf) {
    parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 1);
  }
  return Workload::of_graph("fork", TaskGraph(std::move(parts)));
}

double makespan_s(const Workload& workload, const Platform& platform, const std::string& strategy,
                  const Watcher& watcher = {}) {
  return simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0,
                          watcher)
      .makespan_s;
}

TEST(IdleFirst, SharesAForkAmongAllProcessors) {
  for (const std::size_t processors : {2U, 8U}) {
    for (const std::uint64_t depth : {2U, 5U, 16U}) {
      for (const auto* strategy : {"eager", "prio", "ws", "lws", "heteroprio", "darts", "dmda",
                                   "dmdas", "eager:patient=true", "darts:patient=false"}) {
        EXPECT_NEAR(
            makespan_s(fork(static_cast<Index>(processors)), gpus(processors, depth), strategy), 2,
            1e-6)
            << strategy << " on " << processors << " of depth " << depth;
      }
    }
  }
}

TEST(IdleFirst, SharesWhatIsLeftEvenly) {
  // 16 tasks for 4 processors: 4 each, though one buffer would have room for all.
  for (const auto* strategy : {"eager", "prio:patient=false", "ws:patient=false"}) {
    EXPECT_NEAR(makespan_s(fork(16), gpus(4, 16), strategy), 1 + 4, 1e-6) << strategy;
  }
}

TEST(IdleFirst, AsksTheProcessorThatEndedTheTaskLastOfEqualOnes) {
  std::vector<std::size_t> ran_on;
  makespan_s(fork(1), gpus(2, 2), "eager", [&](const RunEvent& event) {
    if (event.kind == Kind::task_started) ran_on.push_back(raw(event.processor));
  });
  EXPECT_EQ(ran_on, (std::vector<std::size_t>{0, 1}));
}

TEST(IdleFirst, LeavesATaskToTheKindThatCanRunIt) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.kind_names = {"root", "leaf"};
  parts.task_kinds = {0, 1, 1};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 1);
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 1);
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 1);
  const Workload workload = Workload::of_graph("fork of kinds", TaskGraph(std::move(parts)));
  Platform platform = gpus(2, 2);
  platform.machine->processors[1].kernel_times = {{"leaf", never_s}};

  EXPECT_NEAR(makespan_s(workload, platform, "eager"), 3, 1e-6);
  EXPECT_NEAR(makespan_s(workload, platform, "lws"), 3, 1e-6);
}

TEST(IdleFirst, LetsDartsReachItsThroughputAtAnyDepth) {
  const auto gflops = [](const std::string& keys) {
    const Workload workload = Workload::parse("cholesky:n=20,deps=true");
    const auto scenario = Scenario::parse("gpus:k=8,memory=16GB,peers=24GB/s" + keys);
    return workload.graph().total_flops() / makespan_s(workload, scenario.draw(1, 0), "darts");
  };
  EXPECT_GT(gflops(""), 0.97 * gflops(",depth=2"));
}

}  // namespace
}  // namespace damocles::idle_first_test
