// What is asked for ahead when a task becomes ready, worked out by hand.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/limited_run.hpp"
#include "tests/sim/two_gpus.hpp"

namespace damocles::hints_at_push_test {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;
using Times = std::vector<std::pair<double, std::uint64_t>>;

/// Of kind 0, which processor 0 alone runs, or 1, which processor 1 alone runs.
struct Task {
  std::uint16_t kind;
  double flops;
  std::vector<Index> reads{};
  std::vector<Index> waits_for{};
  std::vector<Index> makes{};
};

/// Data 0 of 5 B, 1 of 20 B and 2 of 5 B.
Workload graph(const std::vector<Task>& tasks) {
  TaskGraph::Parts parts;
  parts.bytes = {5, 20, 5};
  parts.kind_names = {"A", "B"};
  for (const Task& task : tasks) {
    std::vector<Index> data = task.reads;
    std::vector<Access> how(data.size(), Access::read);
    data.insert(data.end(), task.makes.begin(), task.makes.end());
    how.resize(data.size(), Access::write);
    for (const Index before : task.waits_for) {
      parts.dependencies.emplace_back(static_cast<Index>(parts.flops.size()), before);
    }
    parts.add_task(data, how, task.flops);
    parts.task_kinds.push_back(task.kind);
  }
  return Workload::of_graph("by hand", TaskGraph(std::move(parts)));
}

struct Seen {
  Trace trace;
  Times loads;  // when they began, and of what
};

Seen run(const Workload& workload, const Platform& platform, const StrategyChoice& choice) {
  Seen seen;
  seen.trace = simulate_limited(workload, platform, choice, 1, 0, [&](const RunEvent& event) {
    if (event.kind == Kind::load_started) seen.loads.emplace_back(event.time_s, event.id);
  });
  return seen;
}

Seen run(const std::vector<Task>& tasks, const Platform& platform, const std::string& strategy) {
  const Workload workload = graph(tasks);
  return run(workload, platform, StrategyChoice::parse(strategy, workload));
}

/// T2 becomes ready at 2, when GPU 1, which is to run it, has T1 to run until 10.
const std::vector<Task> to_a_busy_one{{0, 2}, {1, 10}, {1, 3, {0}, {0}}};

TEST(HintsAtPush, IsMadeWithTheNextGrantUnlessToldOtherwise) {
  for (const auto* strategy : {"dmda", "dmdar:prefetch=grant", "dmdas", "heft"}) {
    const Seen seen = run(to_a_busy_one, two_gpus(100), strategy);

    // T1 runs until 10, its data travel until 15, T2 runs until 18.
    EXPECT_EQ(seen.loads, (Times{{10, 0}})) << strategy;
    EXPECT_DOUBLE_EQ(seen.trace.makespan_s, 18) << strategy;
  }
}

TEST(HintsAtPush, IsFetchedWhileTheProcessorHasNoRoomForTheTask) {
  for (const auto* name : {"dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "heft"}) {
    const auto strategy = name + std::string(":prefetch=push");
    const Seen seen = run(to_a_busy_one, two_gpus(100), strategy);

    // Its data travel from 2 to 7, beside T1; T2 runs from 10 to 13.
    EXPECT_EQ(seen.loads, (Times{{2, 0}})) << strategy;
    EXPECT_DOUBLE_EQ(seen.trace.makespan_s, 13) << strategy;
  }
}

TEST(HintsAtPush, OfACoreIsThatDataReturn) {
  Platform platform = two_gpus(100);
  platform.machine->processors[1].in_host_memory = true;
  const std::vector<Task> tasks{{0, 2, {}, {}, {0}}, {1, 10}, {1, 3, {0}}};
  for (const auto* strategy : {"dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "heft"}) {
    // T0 makes its data until 2, which T2 reads: it returns from 10 to 15, or at once.
    EXPECT_DOUBLE_EQ(run(tasks, platform, strategy).trace.makespan_s, 18) << strategy;
    const Seen seen = run(tasks, platform, strategy + std::string(":prefetch=push"));
    EXPECT_DOUBLE_EQ(seen.trace.makespan_s, 13) << strategy;
    EXPECT_EQ(seen.trace.bytes_written, (std::vector<std::uint64_t>{5, 0})) << strategy;
  }
}

/// Runs the tasks of each processor in the order of submission, and asks ahead for what it was told
/// to: hints[i] when the i-th task becomes ready. Data 0 is planned to be read.
class Told final : public Strategy {
 public:
  Told(const TaskGraph& graph, std::vector<std::vector<DataId>> hints)
      : graph_(graph), hints_(std::move(hints)), ready_(graph.tasks(), false) {}

  std::optional<ProcessorId> on_ready(TaskId task) override {
    ready_[raw(task)] = true;
    return processor_of(static_cast<Index>(raw(task)));
  }
  void prefetch_hints(ProcessorId, std::vector<DataId>& loads) override {
    if (pushes_ < hints_.size()) loads = hints_[pushes_];
    ++pushes_;
  }
  void request(ProcessorId processor, Grant& grant) override {
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if (processor_of(task) != processor || granted_[task]) continue;
      if (!ready_[task]) return;
      granted_[task] = true;
      return grant.tasks.add(TaskId{task});
    }
  }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId, DataId data) const override {
    return raw(data) == 0 ? 1 : 0;
  }

 private:
  [[nodiscard]] ProcessorId processor_of(Index task) const {
    return ProcessorId{graph_.parts().task_kinds[task]};
  }

  const TaskGraph& graph_;
  std::vector<std::vector<DataId>> hints_;
  std::size_t pushes_ = 0;
  std::vector<bool> ready_;
  std::vector<bool> granted_ = ready_;
};

Seen run_told(const std::vector<Task>& tasks, const Platform& platform,
              const std::vector<std::vector<DataId>>& hints) {
  const StrategyEntry entry{.name = "told",
                            .source = "",
                            .summary = "",
                            .make =
                                [&](const StrategyContext& context) {
                                  return std::make_unique<Told>(context.workload.graph(), hints);
                                },
                            .supports_dependencies = true,
                            .heterogeneous = true};
  return run(graph(tasks), platform, {&entry, Spec::parse("told", "strategy")});
}

TEST(HintsAtPush, OutlivesAGrantOfNothing) {
  // GPU 0 runs T0 until 15 and T1 until 45. T3 becomes ready at 15, but comes after T2, which waits
  // for T1: GPU 1 asks, gets nothing, and loads what both read.
  const std::vector<Task> tasks{{0, 15}, {0, 30}, {1, 3, {0}, {1}}, {1, 1, {1}, {0}}};

  const Seen seen = run_told(tasks, two_gpus(100), {{}, {}, {DataId{0}, DataId{1}}});

  EXPECT_EQ(seen.loads, (Times{{15, 0}, {20, 1}}));
  EXPECT_DOUBLE_EQ(seen.trace.makespan_s, 49);  // T2 from 45 to 48, T3
}

TEST(HintsAtPush, EndsWithTheNextGrantOfTasks) {
  const std::vector<Task> tasks{{0, 2}, {1, 10}, {1, 20, {}, {0}}};

  const Seen seen = run_told(tasks, two_gpus(100), {{}, {}, {DataId{1}, DataId{0}}});

  EXPECT_EQ(seen.loads, (Times{{2, 1}}));  // until 22, when T2 runs, which was granted at 10
}

TEST(HintsAtPush, EndsWithTheNextOne) {
  // T2 is pushed at 2 when T0 has ended, T4 at 3 when T3 has, both to GPU 1, which runs T1 till 99.
  const std::vector<Task> tasks{{0, 2}, {1, 99}, {1, 1, {}, {0}}, {0, 1, {}, {0}}, {1, 1, {}, {3}}};

  const Seen seen =
      run_told(tasks, two_gpus(100), {{}, {}, {DataId{1}, DataId{0}}, {}, {DataId{2}}});

  EXPECT_EQ(seen.loads, (Times{{2, 1}, {22, 2}}));
}

TEST(HintsAtPush, EvictsNothingThatAPlannedTaskReads) {
  // Data 0, which T1 has read until 6, and which is planned, leaves room for 17 B of 22 B.
  const std::vector<Task> tasks{{0, 10}, {1, 1, {0}}, {1, 20}, {1, 3, {1}, {0}}};
  const std::vector<std::vector<DataId>> hints{{}, {}, {}, {DataId{1}}};

  EXPECT_EQ(run_told(tasks, two_gpus(25), hints).loads, (Times{{0, 0}, {10, 1}}));
  EXPECT_EQ(run_told(tasks, two_gpus(22), hints).loads, (Times{{0, 0}, {26, 1}}));
}

}  // namespace
}  // namespace damocles::hints_at_push_test
