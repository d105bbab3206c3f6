// What a run takes where the platform says what its processors draw.

#include "models/platforms/energy.hpp"

#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "sim/limited_run.hpp"

namespace damocles::energy_test {
namespace {

struct Spent {
  double makespan_s;
  double busy_s;
  double energy_j;
};

Spent run(const char* workload, const std::string& platform) {
  const auto tasks = Workload::parse(workload);
  const Platform gpus = Scenario::parse(platform).draw(1, 0);
  const Trace trace = simulate_limited(tasks, gpus, StrategyChoice::parse("eager", tasks), 1, 0);
  double busy_s = 0;
  for (const double one : trace.busy_s) busy_s += one;
  return {trace.makespan_s, busy_s, energy_j(*gpus.machine, trace)};
}

TEST(Energy, IsWhatTasksDrawAndWhatIdleProcessorsDrawUntilTheEnd) {
  // One tile of 4 MB, there after 4 ms, and one task of 2 s; the other processor never computes.
  const std::string machine =
      "gpus:k=2,bandwidth=1GB/s,latency=0s,jitter=off,times=POTRF:2s,power=300W";
  const char* const tile = "cholesky:n=1,tile=1000,deps=true";

  const Spent only = run(tile, machine);
  EXPECT_DOUBLE_EQ(only.makespan_s, 2.004);
  EXPECT_DOUBLE_EQ(only.energy_j, 600);
  EXPECT_DOUBLE_EQ(run(tile, machine + ",idle=50W").energy_j, 600 + 50 * (0.004 + 2.004));
  EXPECT_DOUBLE_EQ(run(tile, machine + ",idle=50W,powers=POTRF:100W").energy_j,
                   200 + 50 * (0.004 + 2.004));
  EXPECT_DOUBLE_EQ(run(tile, machine + ",overhead=1s").energy_j, 900);
}

TEST(Energy, CountsEachKindOfTaskByItsOwnPower) {
  const std::string machine = "gpus:k=2,memory=500MB,times=POTRF:3ms+TRSM:2ms+SYRK:1ms+GEMM:5ms";
  // n = 4: 4 POTRF, 6 TRSM, 6 SYRK, 4 GEMM; jitter makes tasks longer by up to 0.7 %.
  const char* const tasks = "cholesky:n=4,tile=64,deps=true";
  const double exact = 4 * 3e-3 * 100 + 6 * 2e-3 * 300 + 6 * 1e-3 * 300 + 4 * 5e-3 * 200;
  EXPECT_NEAR(run(tasks, machine + ",jitter=off,power=300W,powers=POTRF:100W+GEMM:200W").energy_j,
              exact, 1e-9);
  const double longer = run(tasks, machine + ",power=300W,powers=POTRF:100W+GEMM:200W").energy_j;
  EXPECT_GT(longer, exact);
  EXPECT_LT(longer, 1.007 * exact);
}

TEST(Energy, IsThatOfTheDrawnTimesAndOfWhatCopiesCost) {
  for (const char* const extra : {",noise=lognormal:0.5", ",interference=0.9"}) {
    const Spent noisy = run("gemm2d:n=6", std::string("gpus:k=3,power=300W,idle=40W") + extra);
    EXPECT_NEAR(noisy.energy_j, 300 * noisy.busy_s + 40 * (3 * noisy.makespan_s - noisy.busy_s),
                1e-9 * noisy.energy_j)
        << extra;
  }
}

TEST(Energy, IsNotCountedWhereNothingIsSaidOfPowers) {
  const auto tasks = Workload::parse("gemm2d:n=2");
  const Platform gpus = Scenario::parse("gpus:k=2").draw(1, 0);
  EXPECT_FALSE(gpus.machine->has_powers());
  EXPECT_FALSE(Powers(tasks, gpus).known());
  const Trace trace = simulate_limited(tasks, gpus, StrategyChoice::parse("eager", tasks), 1, 0);
  EXPECT_TRUE(trace.compute_j.empty());
}

}  // namespace
}  // namespace damocles::energy_test
