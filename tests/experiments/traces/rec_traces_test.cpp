// A run written for StarPU, read again: the same tasks on the same processors in the same order.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/traces/trace_files.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/placements/placement.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/error_text.hpp"

namespace damocles::rec_traces_test {
namespace {

using Starts = std::vector<std::vector<std::uint64_t>>;

struct Seen {
  Starts starts;
  std::vector<TracedRun> traced{};
};

Seen run(const Workload& workload, const Platform& platform, const std::string& strategy) {
  std::vector<RunEvent> events;
  Seen seen{.starts = Starts(platform.processors())};
  const Trace trace =
      simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0,
                       [&](const RunEvent& event) {
                         events.push_back(event);
                         if (event.kind != RunEvent::Kind::task_started) return;
                         seen.starts[raw(event.processor)].push_back(event.id);
                       });
  Record record;
  record.source = "simulated";
  record.makespan_s = trace.makespan_s;
  record.processors = platform.processors();
  seen.traced = {traced_run(workload, platform, record, std::move(events))};
  return seen;
}

/// A folder of its own for the running test, removed with it.
class RecTraces : public testing::Test {
 public:
  RecTraces(const RecTraces&) = delete;
  RecTraces& operator=(const RecTraces&) = delete;

 protected:
  RecTraces() { std::filesystem::create_directories(folder_); }
  ~RecTraces() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + name; }
  [[nodiscard]] std::string placed(const std::string& name) const {
    return "placed:placement=" + file(name);
  }

 private:
  std::string folder_ = testing::TempDir() + "damocles_rec_traces_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
};

/// Whether the graph's tasks commute or reduce too: they are written as accesses.
TEST_F(RecTraces, AreReadAgainAsTheSamePlacementAndOrder) {
  const Platform platform =
      Scenario::parse("gpus:k=2,memory=9data,cpus=2,cpu_gflops=900").draw(1, 0);
  for (const char* const asked : {"cholesky:n=5,deps=true", "cholesky:n=5,deps=true,updates=reduce",
                                  "gemm2d:n=4", "layered:n=5,layers=4,seed=3"}) {
    SCOPED_TRACE(asked);
    const auto workload = Workload::parse(asked);
    const Seen first = run(workload, platform, "dmdas");
    write_trace(file("tasks.rec"), first.traced);
    write_trace(file("sched.rec"), first.traced);
    const auto again = Workload::parse("file:path=" + file("tasks.rec"));

    EXPECT_EQ(run(workload, platform, placed("tasks.rec")).starts, first.starts);
    EXPECT_EQ(run(workload, platform, placed("sched.rec")).starts, first.starts);
    EXPECT_EQ(run(again, platform, placed("tasks.rec")).starts, first.starts);
    EXPECT_EQ(run(again, platform, placed("sched.rec")).starts, first.starts);
    const auto read = read_placement(file("tasks.rec"), workload);
    // From the first start to the last end.
    EXPECT_LE(*read.makespan_s, first.traced.front().makespan_s + 1e-9);
    EXPECT_GE(*read.makespan_s, 0.5 * first.traced.front().makespan_s);
  }
}

/// Times of GPUs and of cores stay apart, of tasks of all sizes, and what a task takes beside its
/// time is added once: the same run, in the same time, without a word on times.
TEST_F(RecTraces, AreReadAgainInTheSameTime) {
  for (const char* const machine :
       {"gpus:k=2,memory=9data,cpus=2,jitter=off", "gpus:k=1,memory=9data,overhead=20us",
        "gpus:k=0,cpus=3,jitter=off", "gpus:k=3,memory=9data,cpus=1,jitter=off,preset=h200"}) {
    for (const char* const asked :
         {"cholesky:n=6,deps=true", "gemm2d:n=4", "layered:n=5,layers=4,seed=3", "lu:n=4,tile=480",
          "stencil:n=4,steps=3"}) {
      SCOPED_TRACE(fmt::format("{} on {}", asked, machine));
      const auto workload = Workload::parse(asked);
      const auto on = [&](const Workload& of) {
        return Scenario::parse(machine).for_tasks_of(of).draw(1, 0);
      };
      const Seen first = run(workload, on(workload), "dmdas");
      write_trace(file("tasks.rec"), first.traced);
      const auto again = Workload::parse("file:path=" + file("tasks.rec"));
      const Platform recorded = on(again);

      EXPECT_NE(measured_kernels_in_use(*recorded.machine, again).find("recorded"),
                std::string::npos);
      const Seen second = run(again, recorded, placed("tasks.rec"));
      EXPECT_EQ(second.starts, first.starts);
      const double took_s = first.traced.front().makespan_s;
      EXPECT_NEAR(second.traced.front().makespan_s, took_s, 0.01 * took_s);
      // But for what the strategy asks for ahead, the very same.
      const Seen same = run(workload, on(workload), placed("tasks.rec"));
      EXPECT_NEAR(second.traced.front().makespan_s, same.traced.front().makespan_s, 1e-9 * took_s);
    }
  }
}

TEST_F(RecTraces, HoldTheGraph) {
  const auto workload = Workload::parse("cholesky:n=4,deps=true");
  const TaskGraph& graph = workload.graph();
  const Seen seen = run(workload, Scenario::parse("gpus:k=1,memory=12data").draw(1, 0), "eager");
  std::istringstream text(tasks_rec_trace(seen.traced));

  const TaskGraph again = read_tasks_rec(text, "tasks.rec");

  ASSERT_EQ(again.tasks(), graph.tasks());
  ASSERT_EQ(again.data(), graph.data());
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    EXPECT_EQ(again.flops(task), graph.flops(task));
    EXPECT_EQ(again.kind_name(task), graph.kind_name(task));
    EXPECT_EQ(again.priority(task), graph.priority(task));
    EXPECT_EQ(again.footprint(task), graph.footprint(task));
    EXPECT_EQ(again.inputs(task).size(), graph.inputs(task).size());
    const auto after = graph.dependencies().after(task);
    const auto after_again = again.dependencies().after(task);
    EXPECT_TRUE(std::equal(after.begin(), after.end(), after_again.begin(), after_again.end()));
  }
}

/// By hand: two tasks, one of which reads and writes what the other wrote.
TEST_F(RecTraces, AreWhatStarpuWrites) {
  TaskGraph::Parts parts;
  parts.bytes = {100, 200};
  parts.add_task(std::vector<TaskGraph::Index>{0}, std::vector{Access::write}, 3e9);
  parts.add_task(std::vector<TaskGraph::Index>{1, 0}, std::vector{Access::read, Access::read_write},
                 5e8);
  parts.task_names = {"a\nb", "c"};
  parts.priorities = {2, 0};
  const auto workload = Workload::of_graph("by hand", TaskGraph(std::move(parts)));
  const auto at = [](RunEvent::Kind kind, double time_s, std::uint32_t processor,
                     std::uint64_t task) {
    return RunEvent{
        .kind = kind, .time_s = time_s, .processor = ProcessorId{processor}, .id = task};
  };
  using Kind = RunEvent::Kind;
  Record record;
  record.processors = 2;
  const std::vector<TracedRun> runs{
      traced_run(workload, Platform{.speeds = {1, 1}}, record,
                 {at(Kind::task_started, 0.001, 1, 0), at(Kind::task_ended, 0.0025, 1, 0),
                  at(Kind::task_started, 0.003, 1, 1), at(Kind::task_ended, 0.004, 1, 1)})};

  EXPECT_EQ(tasks_rec_trace(runs),
            "Name: a b\nModel: task\nJobId: 1\nSubmitOrder: 1\nPriority: 2\nWorkerId: 1\n"
            "StartTime: 1\nEndTime: 2.5\nGFlop: 3\nParameters: v100\nHandles: 100\n"
            "Modes: W\nSizes: 100\nMPIRank: -1\n\n"
            "Name: c\nModel: task\nJobId: 2\nSubmitOrder: 2\nPriority: 0\nDependsOn: 1\n"
            "WorkerId: 1\nStartTime: 3\nEndTime: 4\nGFlop: 0.5\n"
            "Parameters: v200 v100\nHandles: 200 100\nModes: R RW\nSizes: 200 100\n"
            "MPIRank: -1\n\n");
  EXPECT_EQ(sched_rec_trace(runs),
            "SubmitOrder: 1\nSpecificWorker: 1\nWorkerorder: 1\n\n"
            "SubmitOrder: 2\nSpecificWorker: 1\nWorkerorder: 2\n\n");
}

TEST_F(RecTraces, HoldOneRun) {
  EXPECT_EQ(error_text([&] { check_trace("x.rec", 1, 2); }),
            "trace 'x.rec': StarPU's tasks.rec holds one run, but here are 2; give .json");
  EXPECT_EQ(error_text([&] { check_trace(file("sched.rec"), 1); }), "no error");
}

}  // namespace
}  // namespace damocles::rec_traces_test
