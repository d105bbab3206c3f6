// Strategies that support heterogeneous platforms, worked out by hand on one GPU and two cores.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strategies/parts/completion_time.hpp"
#include "strategies/parts/kind_speeds.hpp"
#include "strategies/runtime/memory_aware_runtime.hpp"
#include "tests/error_text.hpp"
#include "tests/strategies/gpu_and_cores.hpp"

namespace damocles::kinds_of_processors_test {
namespace {

using Index = TaskGraph::Index;
using Ids = std::vector<std::uint64_t>;

TEST(Heteroprio, GivesACoreWhatTheGpuGainsLeastAtIfTheGpuHasEnough) {
  Asked heteroprio("heteroprio", tasks_of({0, 1, 1, 1}), gpu_and_cores());

  // Slow factors of a core: 10 at A, 1.5 at B, which it looks at first.
  EXPECT_EQ(heteroprio.granted(1), Ids{1});  // 3 of B wait
  EXPECT_EQ(heteroprio.granted(2), Ids{2});  // 2 of B wait
  EXPECT_EQ(heteroprio.granted(1), Ids{});   // 1 of B, less than 1.5 for the GPU; 1 of A
  EXPECT_EQ(heteroprio.granted(0), Ids{0});  // A, at which the GPU gains most
  EXPECT_EQ(heteroprio.granted(0), Ids{3});
  EXPECT_EQ(heteroprio.granted(0), Ids{});
}

TEST(Heteroprio, GivesACoreWhatNobodyElseRuns) {
  Platform platform = gpu_and_cores();
  platform.machine->processors[0].kernel_times = {{"A", 1}, {"B", never_s}};
  Asked heteroprio("heteroprio", tasks_of({0, 1}), platform);

  EXPECT_EQ(heteroprio.granted(0), Ids{0});
  EXPECT_EQ(heteroprio.granted(0), Ids{});
  EXPECT_EQ(heteroprio.granted(2), Ids{1});
}

/// As two tables of a platform file, neither of which names its kind.
TEST(Heteroprio, TellsProcessorsOfOneNameApartByWhatTheyRun) {
  Platform platform = gpu_and_cores();
  platform.machine->processors[1].kernel_times = {{"A", never_s}, {"B", 3}};
  platform.machine->processors[2].kernel_times = {{"A", 10}, {"B", never_s}};
  Asked heteroprio("heteroprio", tasks_of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}), platform);

  EXPECT_EQ(heteroprio.granted(1), Ids{10});  // 2 of B wait, 1.5 are enough
  EXPECT_EQ(heteroprio.granted(1), Ids{});
  EXPECT_EQ(heteroprio.granted(2), Ids{0});  // 10 of A wait, 10 are enough
  EXPECT_EQ(heteroprio.granted(2), Ids{});
}

TEST(KindSpeeds, AreMeansOverTasksAndProcessorsOfAKind) {
  const Workload workload = tasks_of({0, 1});
  const Platform platform = gpu_and_cores();
  const NodeMemory memory(3, 2);
  const Spec spec = Spec::parse("heteroprio", "strategy");
  const KindSpeeds speeds({workload, platform, memory, spec, Rng(1, Draw::strategy, 0)});

  EXPECT_EQ(speeds.most_gained_first(ProcessorId{0}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(speeds.most_gained_first(ProcessorId{2}), (std::vector<std::size_t>{1, 0}));
  EXPECT_TRUE(speeds.is_fastest(ProcessorId{0}, 1));
  EXPECT_FALSE(speeds.is_fastest(ProcessorId{1}, 1));
  EXPECT_DOUBLE_EQ(speeds.slow_factor(ProcessorId{1}, 1), 1.5);
  EXPECT_DOUBLE_EQ(speeds.slow_factor(ProcessorId{0}, 1), 1);
  EXPECT_EQ(speeds.fastest_processors(0), 1);
}

/// With kinds that not all run, both take tasks in their order, but what they cannot run.
TEST(EagerAndLws, SkipWhatAProcessorCannotRun) {
  Platform platform = gpu_and_cores();
  for (std::size_t core : {1U, 2U}) {
    platform.machine->processors[core].kernel_times = {{"A", never_s}, {"B", 3}};
  }
  Asked eager("eager", tasks_of({0, 0, 1, 0, 1}), platform);
  EXPECT_EQ(eager.granted(1), Ids{2});
  EXPECT_EQ(eager.granted(0), Ids{0});
  EXPECT_EQ(eager.granted(2), Ids{4});
  EXPECT_EQ(eager.granted(2), Ids{});
  EXPECT_EQ(eager.granted(0), Ids{1});
  EXPECT_EQ(eager.granted(0), Ids{3});

  // Dealt out in turn: 0 and 3 to the GPU, 1 and 4 to the first core, 2 to the second.
  Asked lws("lws", tasks_of({0, 0, 1, 0, 1}), platform);
  EXPECT_EQ(lws.granted(1), Ids{4});
  EXPECT_EQ(lws.granted(1), Ids{2});  // stolen
  EXPECT_EQ(lws.granted(1), Ids{});
  EXPECT_EQ(lws.granted(0), Ids{0});
  EXPECT_EQ(lws.granted(0), Ids{3});
  EXPECT_EQ(lws.granted(0), Ids{1});  // stolen from who cannot run it
}

/// Data of 100 B over a bus of 20 B/s take 2 * 100 / 20 = 10 s, each counted twice by dmda.
TEST(CompletionTimes, CountNoTransferAtHome) {
  const Workload workload = tasks_of({0, 1});
  const Platform platform = gpu_and_cores(20);
  const NodeMemory memory(3, 2);
  const Spec spec = Spec::parse("dmda", "strategy");
  CompletionTimes times({workload, platform, memory, spec, Rng(1, Draw::strategy, 0)});

  // A: at 10 + 1 + 10 on the GPU, at 10 on a core. B: at 3 on the other core.
  EXPECT_EQ(raw(times.allot(0)), 1U);
  EXPECT_EQ(raw(times.allot(1)), 2U);
}

TEST(CompletionTimes, BringHomeWhatAGpuWrote) {
  TaskGraph::Parts parts;
  parts.bytes = {100};
  parts.kind_names = {"A", "B"};
  parts.task_kinds = {0, 1, 1};
  const std::vector<Index> data{0};
  parts.add_task(data, std::vector{Access::write}, 1);
  parts.add_task(data, std::vector{Access::read}, 1);
  parts.add_task(data, std::vector{Access::read}, 1);
  const Workload workload = Workload::of_graph("by hand", TaskGraph(std::move(parts)));
  const Platform platform = gpu_and_cores(20);
  const NodeMemory memory(3, 1);
  const Spec spec = Spec::parse("dmda", "strategy");
  CompletionTimes times({workload, platform, memory, spec, Rng(1, Draw::strategy, 0)});

  EXPECT_EQ(raw(times.allot(0)), 0U);  // 1 s, and nothing to load
  EXPECT_EQ(raw(times.allot(1)), 0U);  // until 3 there; 10 + 3 + 10 in host memory
  EXPECT_EQ(raw(times.allot(2)), 0U);  // until 5: the GPU read its own, which went nowhere
}

TEST(Kinds, AreRefusedByStrategiesThatDoNotTellThemApart) {
  const Workload workload = tasks_of({0, 1});
  Platform platform = gpu_and_cores();
  const auto refused = [&] {
    return error_text([&] {
      refuse_heterogeneous(*StrategyChoice::parse("darts", workload).entry, workload, platform);
    });
  };
  const auto telling = std::count_if(strategies().begin(), strategies().end(),
                                     [](const auto& entry) { return entry.heterogeneous; });
  const auto says = [&](const char* what) {
    return fmt::format(
        "strategy 'darts': it does not support {}; {} strategies do, e.g. dmdas, heft, heteroprio",
        what, telling);
  };
  EXPECT_EQ(refused(), says("mixed CPU/GPU platforms"));
  for (ProcessorModel& gpu : platform.machine->processors) gpu.in_host_memory = false;
  EXPECT_EQ(refused(), "no error");
  platform.machine->processors[1].kernel_times = {{"A", never_s}};
  EXPECT_EQ(refused(), says("processors that cannot run every task"));
}

}  // namespace
}  // namespace damocles::kinds_of_processors_test
