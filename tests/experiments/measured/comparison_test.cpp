#include "experiments/measured/comparison.hpp"

#include <gtest/gtest.h>

#include <set>

#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "orders/partitioners.hpp"
#include "strategies/registry.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::measured_comparison_test {
namespace {

Measurement point(const std::string& application, std::uint64_t n, const std::string& strategy) {
  Measurement result;
  result.application = application;
  result.gpus = 1;
  result.n = n;
  result.strategy = strategy;
  result.gflops = 1000;
  result.memory_mib = 500;
  return result;
}

TEST(Spread, IsOfAbsoluteDeviations) {
  const auto ten = spread({0.01, -0.02, 0.03, -0.04, 0.05, -0.06, 0.07, -0.08, 0.09, -0.10});

  EXPECT_DOUBLE_EQ(ten->median, 0.055);
  EXPECT_DOUBLE_EQ(ten->p90, 0.09);  // nine of ten do not exceed it
  EXPECT_DOUBLE_EQ(ten->worst, -0.10);
  EXPECT_DOUBLE_EQ(spread({0.5, -2, 1})->median, 1);
  EXPECT_DOUBLE_EQ(spread({0.5, -2, 1})->p90, 2);
  EXPECT_DOUBLE_EQ(spread({-0.25})->p90, 0.25);
  EXPECT_FALSE(spread({}));
}

TEST(Counterpart, IsWhatTheAuthorsRan) {
  auto of = point("2D", 40, "DARTS+LUF");
  EXPECT_EQ(counterpart(of, 10).workloads, std::vector<std::string>{"gemm2d:n=40"});
  EXPECT_TRUE(counterpart(of, 10).platform.starts_with(
      "gpus:k=1,memory=500MiB,bandwidth=10.8GB/s,gflops=13253,"));
  EXPECT_EQ(counterpart(of, 10).strategy, "darts");

  of.gpus = 2;
  of.memory_mib.reset();
  EXPECT_TRUE(counterpart(of, 10).platform.starts_with(
      "gpus:k=2,memory=32768MiB,bandwidth=12.36GB/s,link=10.8GB/s,gflops=13253,"));
}

TEST(Counterpart, DrawsTheWorkloadAnewInEachRun) {
  EXPECT_EQ(counterpart(point("sparse", 5, "MST"), 2).workloads,
            (std::vector<std::string>{"sparse2d:n=5,density=0.02,seed=1",
                                      "sparse2d:n=5,density=0.02,seed=2"}));
}

/// There a tile of C goes to host memory when it is evicted; written back by each of the four
/// products that accumulate in it, it would travel four times.
TEST(Counterpart, SendsOutputsHomeWhereEachTaskHasItsOwn) {
  const auto has_writeback = [](const std::string& application) {
    return counterpart(point(application, 5, "MST"), 1).platform.find("writeback") !=
           std::string::npos;
  };
  EXPECT_TRUE(has_writeback("2D"));
  EXPECT_TRUE(has_writeback("sparse"));
  EXPECT_FALSE(has_writeback("3D"));
}

TEST(Counterpart, HasTheThresholdOnlyWhereItWasInForce) {
  EXPECT_EQ(counterpart(point("2D", 120, "DARTS+LUF+threshold"), 1).strategy, "darts");
  EXPECT_EQ(counterpart(point("2D", 121, "DARTS+LUF+threshold"), 1).strategy,
            "darts:threshold=110");
  EXPECT_EQ(counterpart(point("2D", 120, "DARTS+LUF+threshold"), 1).curve, "darts:threshold=110");
  EXPECT_EQ(counterpart(point("2D", 20, "DARTS(LRU)+threshold"), 1).strategy, "darts:eviction=lru");
  // 4 n^2 tasks: 1444 at n = 19, 1600 at n = 20
  EXPECT_EQ(counterpart(point("3D", 19, "DARTS+LUF+threshold-3inputs"), 1).strategy,
            "darts:inputs=3");
  EXPECT_EQ(counterpart(point("3D", 20, "DARTS+LUF+threshold-3inputs"), 1).strategy,
            "darts:inputs=3,threshold=200");
}

/// All other rows are compared then.
TEST(Counterpart, IsAbsentWhereTheBuildHasNoPartitioner) {
  EXPECT_EQ(counterpart(point("2D", 40, "HMETIS+R (no part. time)"), 1).absent,
            why_no_partitioner());
}

TEST(Counterpart, SaysWhyThereIsNone) {
  EXPECT_NE(counterpart(point("2D", 5, "MHFP"), 1).absent, "");
  EXPECT_NE(counterpart(point("2D-random-tasks", 5, "EAGER"), 1).absent, "");
  EXPECT_EQ(counterpart(point("2D", 5, "DARTS"), 1).absent, "not in the mapping");

  auto cholesky = point("cholesky-no-deps", 5, "EAGER");
  EXPECT_NE(counterpart(cholesky, 1).absent, "");
  cholesky.loads_from_host = 15;
  cholesky.loads_from_peer = 0;
  EXPECT_EQ(counterpart(cholesky, 1).absent, "");
  EXPECT_FALSE(counterpart(cholesky, 1).has_rate);
}

TEST(Counterpart, CanBeRunForEveryPointThatHasOne) {
  std::set<std::string> platforms;
  std::set<std::string> strategies;
  std::set<std::string> workloads;
  for (const auto& measured : measurements()) {
    auto small = measured;
    small.n = 5;
    const auto how = counterpart(measured, 1);
    EXPECT_NE(how.absent, "not in the mapping") << measured.strategy << ' ' << measured.application;
    if (!how.absent.empty()) continue;
    workloads.insert(counterpart(small, 1).workloads.front());
    platforms.insert(how.platform);
    strategies.insert(how.strategy);
  }
  for (const auto& text : platforms) EXPECT_TRUE(Scenario::parse(text).machine()) << text;
  for (const auto& workload : workloads) {
    for (const auto& text : strategies) {
      if (left_out_of_build(text)) continue;
      EXPECT_NO_THROW(static_cast<void>(StrategyChoice::parse(text, Workload::parse(workload))));
    }
  }
}

TEST(Comparison, SimulatesEqualPointsOnceAndKeepsTheirOrder) {
  auto first = point("2D", 5, "EAGER");
  auto other = point("2D", 6, "DARTS+LUF");
  auto again = first;
  auto none = point("2D", 5, "MHFP");
  first.loads_from_host = 8;
  first.loads_from_peer = 0;
  again.gflops = 2000;
  std::size_t rows = 0;

  const auto compared =
      compare_with_measured({&first, &other, &again, &none}, {.runs = 2, .seed = 1, .threads = 1},
                            [&](std::size_t, std::size_t all, double) { rows = all; });

  EXPECT_EQ(rows, 6U);  // two runs and a prediction of each of two different points
  ASSERT_EQ(compared.size(), 4U);
  EXPECT_EQ(compared[0].loads, 10);  // A and B, five data items each
  EXPECT_EQ(compared[1].loads, 12);
  EXPECT_DOUBLE_EQ(compared[0].loads_deviation().value(), 0.25);
  EXPECT_EQ(compared[0].gflops, compared[2].gflops);
  EXPECT_DOUBLE_EQ(compared[2].gflops_deviation().value(), *compared[0].gflops / 2000 - 1);
  EXPECT_FALSE(compared[2].loads_deviation());
  EXPECT_FALSE(compared[3].gflops);
}

TEST(Comparison, GroupsByStrategyAndGpus) {
  auto a = point("2D", 5, "EAGER");
  auto b = point("2D", 10, "EAGER");
  auto c = point("2D", 5, "EAGER");
  c.gpus = 2;
  auto none = point("2D", 5, "MHFP");

  const auto compared =
      compare_with_measured({&a, &b, &c, &none}, {.runs = 1, .seed = 1, .threads = 1});
  const auto groups = grouped(compared);

  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].points.size(), 2U);
  EXPECT_EQ(groups[0].ours, "eager");
  EXPECT_TRUE(groups[0].gflops);
  EXPECT_FALSE(groups[0].loads);
  EXPECT_EQ(groups[2].ours, "");
  EXPECT_NE(groups[2].absent, "");
}

/// 32 GiB hold all 80 data items, which one GPU loads once. Models speak of sides from 20 blocks
/// on, of no workload that writes, and not of every option.
TEST(CompareWithMeasured, PredictsWhatModelsKnowAndSaysWhyNotElsewhere) {
  auto known = point("2D", 40, "EAGER");
  known.memory_mib.reset();
  known.loads_from_host = 80;
  known.loads_from_peer = 0;
  const auto small = point("2D", 5, "EAGER");
  auto writes = point("3D", 20, "EAGER");
  const auto option = point("2D", 121, "DARTS+LUF+threshold");
  const auto absent = point("2D", 40, "MHFP");

  const auto compared =
      compare_with_measured({&known, &small, &writes, &option, &absent}, {1, 1, 1});

  EXPECT_EQ(compared[0].no_prediction, "");
  EXPECT_EQ(compared[0].predicted_loads, 80);
  EXPECT_EQ(compared[0].predicted_loads_deviation(), 0);
  EXPECT_EQ(compared[1].no_prediction,
            "outside validated domain: a side of 5 blocks, validated from 20");
  EXPECT_EQ(compared[3].no_prediction, "");
  for (const std::size_t without : {2U, 4U}) {
    EXPECT_NE(compared[without].no_prediction, "");
    EXPECT_FALSE(compared[without].predicted_loads);
  }
  const auto groups = grouped(compared);
  EXPECT_EQ(groups[0].points.size(), 2U);
  EXPECT_EQ(groups[0].predicted, 1U);
  EXPECT_EQ(groups[0].predicted_loads->worst, 0);
}

}  // namespace
}  // namespace damocles::measured_comparison_test
