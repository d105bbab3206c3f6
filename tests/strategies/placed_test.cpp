// What a placement makes of a run, worked out by hand.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "strategies/registry.hpp"
#include "tests/error_text.hpp"
#include "tests/strategies/gpu_and_cores.hpp"

namespace damocles::placed_test {
namespace {

using Index = TaskGraph::Index;
using Starts = std::vector<std::vector<std::uint64_t>>;

/// A file of its own for the running test, removed with it.
class Placed : public testing::Test {
 protected:
  ~Placed() override {
    for (const auto& file : files_) std::filesystem::remove(file);
  }

  /// The strategy that does what this says, as a user writes it.
  std::string placed(const std::string& text, const std::string& ending = ".json") {
    files_.push_back(testing::TempDir() + "damocles_placed_" +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + ending);
    std::ofstream(files_.back()) << text;
    return "placed:placement=" + files_.back();
  }
  /// What it is refused with, without the path of the file.
  std::string refusal(const std::string& strategy, const Workload& workload,
                      const Platform& platform) {
    auto message = error_text([&] {
      static_cast<void>(
          simulate(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0));
    });
    const auto at = message.find(files_.back());
    return at == std::string::npos ? message : message.replace(at, files_.back().size(), "FILE");
  }

 private:
  std::vector<std::string> files_;
};

/// By processor, the tasks in the order in which they start.
Starts starts(const Workload& workload, const Platform& platform, const std::string& strategy) {
  Starts result(platform.processors());
  static_cast<void>(simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload),
                                     1, 0, [&](const RunEvent& event) {
                                       if (event.kind != RunEvent::Kind::task_started) return;
                                       result[raw(event.processor)].push_back(event.id);
                                     }));
  return result;
}

/// Tasks of 1 flop and one data item of 1 B each; waits as (task, the one it waits for).
Workload tasks_with(std::size_t tasks, std::vector<Dependencies::Wait> waits,
                    std::vector<double> priorities = {}) {
  TaskGraph::Parts parts;
  parts.bytes.assign(tasks, 1);
  for (Index task = 0; task < tasks; ++task) parts.add_task(std::vector<Index>{task}, 1);
  parts.dependencies = std::move(waits);
  parts.priorities = std::move(priorities);
  return Workload::of_graph("by hand", TaskGraph(std::move(parts)));
}

/// Two alike, one task at a time in each buffer, a bus that takes no time to speak of.
Platform two() {
  Platform platform{.speeds = {1, 1}};
  platform.machine = MachineModel{
      .processors = {2, {.flops_per_s = 1, .memory_bytes = 100, .link_bytes_per_s = 1e9}},
      .bus_bytes_per_s = 1e9,
      .depth = 1,
      .jitter = 0};
  return platform;
}

TEST_F(Placed, RunsTasksWhereAndInTheOrderThatTheFileSays) {
  const auto strategy =
      placed(R"({"damocles_placement": 1, "processors": [[5, 0, 3], [4, 1, 2]]})");

  EXPECT_EQ(starts(tasks_with(6, {}), two(), strategy), (Starts{{5, 0, 3}, {4, 1, 2}}));
  // 0 waits for 2, and 5 before it for nobody: processor 0 waits while 3 could run.
  EXPECT_EQ(starts(tasks_with(6, {{0, 2}}), two(), strategy), (Starts{{5, 0, 3}, {4, 1, 2}}));
}

/// Where no memory is limited too.
TEST_F(Placed, RunsInUnlimitedMemory) {
  const auto workload = Workload::parse("outer:n=2");
  const auto strategy = placed(R"({"damocles_placement": 1, "processors": [[3], [0, 2, 1]]})");
  Starts started(2);

  const Trace trace =
      simulate(workload, {.speeds = {1, 1}}, StrategyChoice::parse(strategy, workload), 1, 0, {},
               [&](const RunEvent& event) {
                 if (event.kind != RunEvent::Kind::task_started) return;
                 started[raw(event.processor)].push_back(event.id);
               });

  EXPECT_EQ(started, (Starts{{3}, {0, 2, 1}}));
  EXPECT_EQ(trace.loads, (std::vector<std::uint64_t>{2, 4}));
}

/// Processor 0 alone may take 0 and 1, both 2 to 4; 4 has the highest priority, 0 the lowest.
TEST_F(Placed, LetsAnyOfASetTakeTheTaskOfHighestPriority) {
  const auto workload = tasks_with(5, {}, {1, 2, 3, 3, 4});
  const auto strategy = placed(
      R"({"damocles_placement": 1, "groups": [{"tasks": [0, 1], "processors": [0]},
                                              {"tasks": [2, 3], "processors": [1, 0]},
                                              {"tasks": [4]}]})");

  // Asked in turn, each task takes as long: 0 gets 4, 1 gets 2 (as 3, but submitted before), 0
  // gets 3, and 1 nothing but then.
  EXPECT_EQ(starts(workload, two(), strategy), (Starts{{4, 3, 1, 0}, {2}}));
}

/// Those with a place in an order go before those without, and do not wait for them.
TEST_F(Placed, TakesTheNextOfItsOrderBeforeOthers) {
  const auto workload = tasks_with(5, {{3, 2}}, {9, 9, 0, 0, 9});
  const auto strategy = placed(
      R"({"damocles_placement": 1, "processors": [[3], [2]],
          "groups": [{"tasks": [0, 1, 4], "processors": [0]}]})");

  // 3 is ready when 2 has run on processor 1, at 1 s and two loads. Then 1 has begun here, at 1 s
  // and one load; at 2 s 3 goes before 4.
  EXPECT_EQ(starts(workload, two(), strategy), (Starts{{0, 1, 3, 4}, {2}}));
}

/// A sched.rec may let tasks wait for others that their data do not.
TEST_F(Placed, HoldsTasksBackUntilThoseThatTheFileNamesHaveRun) {
  const auto workload = tasks_with(3, {});
  const auto strategy = placed(
      "SubmitOrder: 1\nSpecificWorker: 0\nWorkerorder: 1\nDependsOn: 2 3\n\n"
      "SubmitOrder: 2\nSpecificWorker: 1\nPriority: 1\n\n"
      "SubmitOrder: 3\nSpecificWorker: 1\nPriority: 2\n",
      ".rec");
  double starts_s = 0;

  const Trace trace = simulate_limited(
      workload, two(), StrategyChoice::parse(strategy, workload), 1, 0, [&](const RunEvent& event) {
        if (event.kind == RunEvent::Kind::task_started && event.id == 0) {
          starts_s = event.time_s;
        }
      });

  // Three loads of a nanosecond at least, of which two overlap tasks of a second each.
  EXPECT_NEAR(starts_s, 2, 1e-6);
  EXPECT_NEAR(trace.makespan_s, 3, 1e-6);
  EXPECT_EQ(starts(workload, two(), strategy), (Starts{{0}, {2, 1}}));
  EXPECT_EQ(
      refusal(strategy, workload, {.speeds = {1, 1}}),
      "file 'FILE' lets tasks wait for others, which needs a platform of limited memory, as gpus:k=2");
}

TEST_F(Placed, IsRefusedOnProcessorsThatAreNotThereOrCannotRunTheKind) {
  const auto workload = tasks_of({0, 1});
  Platform platform = gpu_and_cores();
  platform.machine->processors[1].kernel_times = {{"A", never_s}};
  const auto on = [&](const char* processors) {
    return refusal(
        placed(std::string(R"({"damocles_placement": 1, "processors": )") + processors + "}"),
        workload, platform);
  };

  EXPECT_EQ(on("[[0, 1]]"), "no error");
  EXPECT_EQ(on("[[1], [0]]"),
            "file 'FILE', processors[1][0]: task 'T0' runs on CPU0, which cannot run the kind 'A'");
  EXPECT_EQ(
      on("[[1], [], [], [0]]"),
      "file 'FILE', processors[3][0]: task 'T0' runs on processor 3, but the platform has 3, numbered from 0");
}

/// Of those that may run anything, a processor takes what it can run.
TEST_F(Placed, GivesNobodyAKindThatItCannotRun) {
  Platform platform = gpu_and_cores();
  platform.machine->processors[0].kernel_times = {{"B", never_s}};
  platform.machine->processors[1].kernel_times = {{"A", never_s}};
  platform.machine->processors[2].kernel_times = {{"A", never_s}};
  Asked asked(placed(R"({"damocles_placement": 1, "groups": [{"tasks": [0, 1, 2]}]})"),
              tasks_of({0, 1, 0}), platform);

  EXPECT_EQ(asked.granted(1), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(asked.granted(2), (std::vector<std::uint64_t>{}));
  EXPECT_EQ(asked.granted(0), (std::vector<std::uint64_t>{0}));
}

TEST_F(Placed, NeedsAFile) {
  const auto workload = tasks_with(1, {});
  EXPECT_EQ(
      error_text([&] { static_cast<void>(StrategyChoice::parse("placed", workload)); }),
      "strategy 'placed': needs placement, the file that says where tasks run, as in placed:placement=tasks.rec");
  EXPECT_EQ(error_text([&] {
              static_cast<void>(StrategyChoice::parse("placed:placement=no.rec", workload));
            }).substr(0, 21),
            "cannot open placement");
}

}  // namespace
}  // namespace damocles::placed_test
