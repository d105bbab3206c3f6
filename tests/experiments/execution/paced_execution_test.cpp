// Paced runs keep the platform's proportions: bus, links and latency are as much slower as tasks.

#include <gtest/gtest.h>

#include "experiments/execution/execution.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles::paced_execution_test {
namespace {

/// Tasks of 2 * 8^3 flop at 0.01024 GFlop/s, 0.1 ms of the platform's time each; data of 256 B.
Experiment experiment(const std::string& machine) {
  return {.workload = Workload::parse("gemm2d:n=3,tile=8,k=8"),
          .scenario = Scenario::parse("gpus:k=1,memory=2data,gflops=0.01024," + machine),
          .strategies = {"eager"}};
}

/// Ten times as slow as the platform.
Executed ten_times_as_slow(const std::string& machine) {
  ExecutionOptions paced;
  paced.pace_s = 1e-3;
  const Experiment asked = experiment(machine);
  Workbench bench(asked, paced);
  EXPECT_NEAR(bench.time_scale(asked.scenario.draw(1, 0)), 10, 1e-12);
  return bench.run("eager", 0);
}

constexpr double rounding = 1 - 1e-9;

TEST(PacedExecution, SlowsTheBus) {
  // 256 B at 1 MB/s take 0.256 ms there, 2.56 ms here; one copy after the other.
  const Executed run = ten_times_as_slow("bandwidth=1MB/s,latency=0s");

  EXPECT_EQ(run.record.status, Status{Status::Kind::ok}) << run.execution.failure;
  EXPECT_GE(*run.record.makespan_s, *run.record.loads * 2.56e-3 * rounding);
}

TEST(PacedExecution, SlowsTheLinks) {
  const Executed run = ten_times_as_slow("bandwidth=1GB/s,link=1MB/s,latency=0s");

  EXPECT_EQ(run.record.status, Status{Status::Kind::ok}) << run.execution.failure;
  EXPECT_GE(*run.record.makespan_s, *run.record.loads * 2.56e-3 * rounding);
}

TEST(PacedExecution, SlowsTheLatency) {
  const Executed run = ten_times_as_slow("bandwidth=1GB/s,latency=300us");

  EXPECT_EQ(run.record.status, Status{Status::Kind::ok}) << run.execution.failure;
  EXPECT_GE(*run.record.makespan_s, *run.record.loads * 3e-3 * rounding);
}

TEST(PacedExecution, LeavesTheBusToTheMachineWhereNotThrottled) {
  ExecutionOptions free;
  free.pace_s = 1e-3;
  free.throttle = false;
  const Experiment asked = experiment("bandwidth=1kB/s,latency=0s");  // 9 loads of 2.56 s

  const Executed run = Workbench(asked, free).run("eager", 0);

  EXPECT_EQ(run.record.status, Status{Status::Kind::ok}) << run.execution.failure;
  EXPECT_LT(*run.record.makespan_s, 20);
}

TEST(Execution, MeasuresTheTimeOfDecisions) {
  const Executed run = Workbench(experiment("bandwidth=1GB/s"), ExecutionOptions{}).run("eager", 0);

  EXPECT_GT(run.execution.trace.scheduling_s, 0);
  EXPECT_EQ(run.record.scheduling_s, run.execution.trace.scheduling_s);
}

TEST(ExpectedTime, IsThatOfTheSimulatedRunsAtTheirPace) {
  Experiment asked = experiment("bandwidth=1MB/s,latency=0s,jitter=off");
  asked.replicates = 3;
  ExecutionOptions paced;
  paced.pace_s = 1e-3;

  // One GPU of two data items: each of the 9 tasks but those of a row's first needs a column anew,
  // 3 rows of 1 + 3 loads of 0.256 ms, less the column kept at the turn of a row if any.
  const Experiment slow = asked;
  const double at_pace = expected_s(Workbench(slow, paced), slow, all_runs(slow));
  const double loads_s = 12 * 0.256e-3;

  EXPECT_GE(at_pace, 3 * 10 * loads_s * 0.8);
  EXPECT_LE(at_pace, 3 * 10 * (loads_s + 9 * 0.1e-3) * 1.01);
  EXPECT_EQ(expected_s(Workbench(slow, {}), slow, all_runs(slow)), 0);
}

}  // namespace
}  // namespace damocles::paced_execution_test
