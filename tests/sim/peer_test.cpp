#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/limited_run.hpp"

// The same world as StarPU on SimGrid, measured: StarPU master of August 2026 on SimGrid 3.32,
// GPUs of 13253 GFlop/s on one shared link of 12 GB/s, 500 MiB a GPU, 2D products of n x n tasks of
// two inputs (14.75 MB each, 35 of them fit), outputs not sent back, all tasks known before the
// start, scheduling time not counted.

namespace damocles {
namespace {

struct Outcome {
  double gflops = 0;
  std::uint64_t loads = 0;
};

Outcome run(const std::string& strategy, int n, int gpus, std::uint64_t seed = 1) {
  const auto workload = Workload::parse(fmt::format("gemm2d:n={}", n));
  // Its eager takes a task when it is about to need one, and requests its inputs then.
  const std::string of_eager = strategy == "eager"
                                   ? ",depth=2,request=28us"
                                   : "";  // its runs know no chance, so neither do ours
  const auto platform =
      Scenario::parse(fmt::format("gpus:k={},memory=500MiB,jitter=off{}", gpus, of_eager))
          .draw(seed, 0);
  const Trace trace =
      simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), seed, 0);
  return {workload.graph().total_flops() / trace.makespan_s / 1e9, trace.total_loads()};
}

/// A run of StarPU, and how near ours has to come [1].
struct Measured {
  std::string strategy;
  int n;
  int gpus;
  double gflops;
  std::uint64_t loads;
  double gflops_within;  ///< 0: not compared
};

std::string name_of(const testing::TestParamInfo<Measured>& info) {
  std::string name = info.param.strategy;
  name += fmt::format("N{}On{}", info.param.n, info.param.gpus);
  return name;
}

/// Policies that decide alike: as many loads, as fast.
class StarPuDecidesAlike : public testing::TestWithParam<Measured> {};

TEST_P(StarPuDecidesAlike, RunsAsFastWithTheSameLoads) {
  const Measured& peer = GetParam();

  const Outcome ours = run(peer.strategy, peer.n, peer.gpus);

  EXPECT_NEAR(ours.gflops, peer.gflops, peer.gflops_within * peer.gflops);
  // On two GPUs chance decides who takes which task: the peer's lws has 120 loads, its eager 122.
  EXPECT_NEAR(static_cast<double>(ours.loads), static_cast<double>(peer.loads),
              peer.gpus > 1 ? 2 : 0);
}

INSTANTIATE_TEST_SUITE_P(Measured, StarPuDecidesAlike,
                         testing::Values(Measured{"eager", 20, 1, 11604, 40, 0.03},
                                         Measured{"eager", 40, 1, 5452, 1640, 0.03},
                                         Measured{"eager", 100, 1, 5533, 10100, 0.03},
                                         Measured{"mst", 20, 1, 12297, 40, 0.03},
                                         Measured{"mst", 40, 1, 5573, 1640, 0.03},
                                         Measured{"mst", 100, 1, 5657, 10100, 0.03},
                                         Measured{"eager", 40, 2, 20669, 122, 0.03},
                                         Measured{"dmdar", 20, 1, 12298, 40, 0.05},
                                         Measured{"dmdar", 40, 2, 24050, 120, 0.05}),
                         name_of);

/// Policies whose ties fall otherwise: at most a tenth more loads.
class StarPuBreaksTiesOtherwise : public testing::TestWithParam<Measured> {};

TEST_P(StarPuBreaksTiesOtherwise, LoadsAtMostATenthMore) {
  const Measured& peer = GetParam();

  const Outcome ours = run(peer.strategy, peer.n, peer.gpus);

  if (peer.gflops_within > 0) {
    EXPECT_NEAR(ours.gflops, peer.gflops, peer.gflops_within * peer.gflops);
  }
  EXPECT_LE(static_cast<double>(ours.loads), 1.1 * static_cast<double>(peer.loads));
}

// DARTS on one GPU agrees far within the 5 %: 12996, 13188, 13242 GFlop/s and 43, 126, 615 loads.
INSTANTIATE_TEST_SUITE_P(Measured, StarPuBreaksTiesOtherwise,
                         testing::Values(Measured{"darts", 20, 1, 12994, 44, 0.05},
                                         Measured{"darts", 40, 1, 13187, 128, 0.05},
                                         Measured{"darts", 100, 1, 13242, 620, 0.05},
                                         Measured{"hfp", 20, 1, 12785, 40, 0.05},
                                         Measured{"hfp", 40, 1, 13012, 118, 0.05},
                                         Measured{"hfp", 100, 1, 13066, 651, 0.05},
                                         Measured{"darts", 40, 2, 24444, 171, 0},
                                         Measured{"hfp", 40, 2, 25514, 154, 0}),
                         name_of);

}  // namespace
}  // namespace damocles
