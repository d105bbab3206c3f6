#include "sim/jitter.hpp"

#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "sim/limited_run.hpp"

namespace damocles::jitter_test {
namespace {

MachineModel alike(std::size_t processors) {
  MachineModel machine;
  machine.processors.resize(processors, {.flops_per_s = 1e12, .memory_bytes = 1 << 30});
  return machine;
}

TEST(Jitter, IsThereWhereProcessorsAreAlike) {
  EXPECT_EQ(alike(1).jitter_of(), 0);
  EXPECT_EQ(alike(2).jitter_of(), 0.007);
  MachineModel apart = alike(2);
  apart.processors[1].flops_per_s = 2e12;
  EXPECT_EQ(apart.jitter_of(), 0);
  apart.jitter = 0.1;
  EXPECT_EQ(apart.jitter_of(), 0.1);
}

TEST(Jitter, OffChangesNothing) {
  MachineModel off = alike(3);
  off.jitter = 0;
  const Jitter jitter(off, 1, 0);
  EXPECT_EQ(jitter.starts_s(3), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(jitter.factor(TaskId{5}), 1);
}

TEST(Jitter, OnlyDelaysAndNeverByMoreThanItSays) {
  const Jitter jitter(alike(2), 1, 0);
  double sum = 0;
  for (std::uint64_t task = 0; task < 4000; ++task) {
    const double factor = jitter.factor(TaskId{task});
    ASSERT_GE(factor, 1);
    ASSERT_LE(factor, 1.007);
    sum += factor - 1;
  }
  // Uniform: mean 0.0035, sd of a mean of 4000 is 0.007 / sqrt(12 * 4000) = 3.2e-5; five of them.
  EXPECT_NEAR(sum / 4000, 0.0035, 1.6e-4);
  for (const double start : jitter.starts_s(2)) {
    EXPECT_GE(start, 0);
    EXPECT_LE(start, MachineModel::latest_start_s);
  }
}

TEST(Jitter, DiffersFromReplicateToReplicateAndRepeatsItself) {
  const MachineModel machine = alike(2);
  EXPECT_EQ(Jitter(machine, 1, 0).factor(TaskId{3}), Jitter(machine, 1, 0).factor(TaskId{3}));
  EXPECT_NE(Jitter(machine, 1, 0).factor(TaskId{3}), Jitter(machine, 1, 1).factor(TaskId{3}));
  EXPECT_NE(Jitter(machine, 1, 0).factor(TaskId{3}), Jitter(machine, 2, 0).factor(TaskId{3}));
  EXPECT_NE(Jitter(machine, 1, 0).starts_s(2), Jitter(machine, 1, 1).starts_s(2));
}

/// The case that showed the need: in step, eager on four equal GPUs splits the columns for ever and
/// loads each once; a real machine, and StarPU on SimGrid (5442), fall out of step.
TEST(Jitter, TakesEagerOnFourGpusOutOfStep) {
  const auto workload = Workload::parse("gemm2d:n=80");
  const auto loads = [&](const char* platform) {
    return simulate_limited(workload, Scenario::parse(platform).draw(1, 0),
                            StrategyChoice::parse("eager", workload), 1, 0)
        .total_loads();
  };

  EXPECT_EQ(loads("gpus:k=4,memory=500MiB,depth=2,jitter=off"), 400U);
  EXPECT_GT(loads("gpus:k=4,memory=500MiB,depth=2"), 2000U);
}

}  // namespace
}  // namespace damocles::jitter_test
