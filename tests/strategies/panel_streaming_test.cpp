#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "strategies/registry.hpp"

namespace damocles::panel_streaming_test {
namespace {

Trace run(const std::string& workload, const std::string& platform, const std::string& strategy) {
  const Workload tasks = Workload::parse(workload);
  return simulate_limited(tasks, Scenario::parse(platform).draw(1, 0),
                          StrategyChoice::parse(strategy, tasks), 1, 0);
}

TEST(PanelStreaming, ComputesFromTheSecondLoadOnOnOneGpu) {
  // 100 x 100 tasks of 7077.888 MF on 13253 GFlop/s, loads of 14.7456 MB at 12 GB/s and 10 us. A
  // first square of x loads frees x^2 / 4 tasks and computes them in tau x from its second load on:
  // it waits for at most (tau / task)^2 tasks, 5.3 of 10 000. Every later load frees a task for
  // each of the rows or columns that stay, 15 at least, while it takes the time of 2.3: no more
  // waits.
  const double task_s = 7.077888e9 / 13253e9;
  const double load_s = 14745600 / 12e9 + 10e-6;
  const double first_square_s = (load_s / task_s) * load_s;

  const double makespan_s =
      run("gemm2d:n=100", "gpus:k=1,memory=500MB", "panel-streaming").makespan_s;

  EXPECT_GE(makespan_s, 10'000 * task_s + 2 * load_s);
  EXPECT_LE(makespan_s, 10'000 * task_s + 2 * load_s + first_square_s);
}

TEST(PanelStreaming, DoesNotDependOnTheDepthOfTheBuffer) {
  // The plan names every load and every room, so nothing is left for a buffer to decide.
  const auto run_at = [](const char* depth) {
    const Trace trace =
        run("gemm2d:n=40", std::string("gpus:k=2,memory=20data,depth=") + depth, "panel-streaming");
    return std::pair(trace.makespan_s, trace.total_loads());
  };
  const auto at_two = run_at("2");

  for (const char* depth : {"3", "7", "12"}) EXPECT_EQ(run_at(depth), at_two) << depth;
}

TEST(PanelStreaming, IsNoSlowerThanThePlainSnake) {
  // By more than 3 %: 2 for what its choice between orders may give away (rank=makespan), 1 for the
  // jitter (0.7 % a task) and for what the engine does otherwise than rehearsed (0.8 % was seen).
  for (const char* workload :
       {"gemm2d:n=30", "gemm2d:n=60", "gemm2d:n=40,order=random", "gemm3d:n=12",
        "gemm3d:n=12,c=yes", "gemm3d:n=12,c=later", "cholesky:n=16,deps=false",
        "cholesky:n=30,deps=false", "sparse2d:n=120"}) {
    for (const char* platform : {"gpus:k=1,memory=300MB", "gpus:k=2,memory=300MB",
                                 "gpus:k=4,memory=300MB", "gpus:k=2,memory=120MB"}) {
      SCOPED_TRACE(std::string(workload) + " on " + platform);

      const double paced_s = run(workload, platform, "panel-streaming").makespan_s;
      const double plain_s = run(workload, platform, "panel-streaming:pace=false").makespan_s;

      EXPECT_LE(paced_s, 1.03 * plain_s);
    }
  }
}

TEST(PanelStreaming, LetsProcessorsRestThatTheBusCannotFeed) {
  // cholesky:n=20,deps=false on GPUs that hold all 210 tiles: each further GPU loads tiles that
  // another one has loaded, and four need 0.16 s of the bus for what two compute in 0.09 s.
  const Trace four = run("cholesky:n=20,deps=false", "gpus:k=4,memory=1GB", "panel-streaming");

  EXPECT_EQ(std::count_if(four.tasks.begin(), four.tasks.end(),
                          [](std::uint64_t tasks) { return tasks > 0; }),
            2);
}

TEST(PanelStreaming, IsHardlySlowerOnMoreProcessors) {
  // What is rehearsed for fewer is rehearsed for more as well; 3 % as above.
  for (const char* workload : {"gemm2d:n=20", "gemm3d:n=8,c=yes", "gemm3d:n=8,c=later",
                               "cholesky:n=12,deps=false", "sparse2d:n=100"}) {
    double fastest_s = std::numeric_limits<double>::infinity();
    for (const char* processors : {"1", "2", "3", "4"}) {
      const std::string platform = std::string("gpus:memory=200MB,k=") + processors;

      const double makespan_s = run(workload, platform, "panel-streaming").makespan_s;

      EXPECT_LE(makespan_s, 1.03 * fastest_s) << workload << " " << platform;
      fastest_s = std::min(fastest_s, makespan_s);
    }
  }
}

TEST(PanelStreaming, KeepsGpusOfDifferentSpeedsBusyToTheEnd) {
  const Workload tasks = Workload::parse("gemm2d:n=60");
  Platform platform = Scenario::parse("gpus:k=2,memory=20data,jitter=off").draw(1, 0);
  platform.machine->processors[1].flops_per_s /= 4;
  platform.speeds[1] /= 4;

  const Trace trace =
      simulate_limited(tasks, platform, StrategyChoice::parse("panel-streaming", tasks), 1, 0);

  // Equal parts would keep the slower one busy for 2 of 1.25 of this time, less what is stolen.
  const double all_busy_s =
      tasks.graph().total_flops() / (1.25 * platform.machine->processors[0].flops_per_s);
  EXPECT_LT(trace.makespan_s, 1.03 * all_busy_s);
}

TEST(PanelStreaming, RankedByBytesLoadsNoMoreThanTheSnake) {
  for (const char* workload :
       {"gemm2d:n=30", "gemm2d:n=60", "gemm3d:n=12,c=yes", "cholesky:n=16,deps=false"}) {
    const Trace by_bytes = run(workload, "gpus:k=1,memory=300MB", "panel-streaming:rank=bytes");
    const Trace plain = run(workload, "gpus:k=1,memory=300MB,depth=1", "panel-streaming");

    // It plans with room for one data item less than M >= 20, and loads go as 1 / (M - 1).
    EXPECT_LE(static_cast<double>(by_bytes.total_loads()),
              19.0 / 18 * static_cast<double>(plain.total_loads()))
        << workload;
  }
}

TEST(PanelStreaming, RefusesWhatItCannotRankBy) {
  const Workload tasks = Workload::parse("gemm2d:n=4");
  const auto platform = Scenario::parse("gpus:k=1,memory=4data").draw(1, 0);

  EXPECT_THROW(
      (void)simulate_limited(tasks, platform,
                             StrategyChoice::parse("panel-streaming:rank=flops", tasks), 1, 0),
      InvalidInput);
}

}  // namespace
}  // namespace damocles::panel_streaming_test
