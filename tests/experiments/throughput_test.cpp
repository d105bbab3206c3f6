#include "experiments/figures/throughput.hpp"

#include <gtest/gtest.h>

namespace damocles {
namespace {

/// Two points on one GPU of 4 data of 1 MiB: at the first A and B (2 data each) fit, at the second
/// not even B (6) does.
CurveFigure two_points() {
  const std::string platform = "gpus:k=1,memory=4MiB";
  return {{{"n=2", {"gemm2d:n=2"}, platform, 2, 4}, {"n=6", {"gemm2d:n=6"}, platform, 6, 12}},
          {"eager", "mst"}};
}

Record row(const std::string& strategy, const std::string& workload, std::uint64_t data,
           double gflops, double loads) {
  Record record;
  record.strategy = strategy;
  record.workload = workload;
  record.platform = "gpus:k=1,memory=4MiB";
  record.data = data;
  record.gflops = gflops;
  record.busy_fraction = gflops / 100;  // a peak of 100
  record.loads = loads;
  record.bytes_loaded = loads * 1024 * 1024;
  record.makespan_s = 1 / gflops;
  record.flops = 1e9;
  record.lower_bound = static_cast<double>(data);
  return record;
}

/// eager: 100, 40; mst: 80 and 120 (one run each), 80.
std::vector<Record> rows() {
  return {row("eager", "gemm2d:n=2", 4, 100, 4), row("eager", "gemm2d:n=6", 12, 40, 36),
          row("mst", "gemm2d:n=2", 4, 80, 4), row("mst", "gemm2d:n=2", 4, 120, 8),
          row("mst", "gemm2d:n=6", 12, 80, 18)};
}

TEST(Agrees, WithinAFactorOfTwoOrTwoPoints) {
  EXPECT_TRUE(agrees(0.515, 0.26));
  EXPECT_FALSE(agrees(0.515, 0.25));
  EXPECT_TRUE(agrees(0.515, 1.02));
  EXPECT_FALSE(agrees(0.515, 1.04));
  EXPECT_FALSE(agrees(0.515, -0.515));
  EXPECT_TRUE(agrees(0.019, 0.001));
  EXPECT_TRUE(agrees(-0.002, 0.017));
  EXPECT_FALSE(agrees(-0.002, 0.019));
}

TEST(Curves, KnowWhatFitsThePeakAndTheWorkingSet) {
  const CurveFigure figure = two_points();

  const Curves curves(figure, rows());

  EXPECT_DOUBLE_EQ(curves.peak(0), 100);
  EXPECT_DOUBLE_EQ(curves.working_set_mib(0), 4);
  EXPECT_DOUBLE_EQ(curves.working_set_mib(1), 12);
  EXPECT_TRUE(curves.ab_fits(0));
  EXPECT_FALSE(curves.b_fits(1));
}

TEST(Curves, AverageRunsAtAPointAndRatiosOverPoints) {
  const CurveFigure figure = two_points();

  const Curves curves(figure, rows());

  EXPECT_DOUBLE_EQ(curves.gflops("mst", 0), 100);
  EXPECT_DOUBLE_EQ(mean_gain(curves, "mst", "eager"), (1.0 + 2.0) / 2 - 1);
  EXPECT_DOUBLE_EQ(mean_gain(curves, "mst", "eager", b_does_not_fit), 1.0);
  EXPECT_DOUBLE_EQ(mean_more_bytes(curves, "mst", "eager"), (1.5 + 0.5) / 2 - 1);
}

TEST(Curves, CollapseWhereBNoLongerFits) {
  const CurveFigure figure = two_points();

  const Curves curves(figure, rows());

  EXPECT_EQ(collapses_without_b(curves, "eager").holds, true);  // 40 of 100
  EXPECT_EQ(collapses_without_b(curves, "mst").holds, false);   // 80 of 100
  EXPECT_EQ(is_near_peak(curves, "mst").holds, false);
}

TEST(CurveQuestions, RunWhatDrawsTenTimes) {
  CurveFigure figure = two_points();
  figure.strategies = {"eager", "darts"};

  const auto questions = curve_questions(figure, 3);

  ASSERT_EQ(questions.size(), 4U);
  EXPECT_EQ(questions[0].replicates, 1U);
  EXPECT_EQ(questions[1].replicates, 10U);
  EXPECT_EQ(questions[3].workload.text(), "gemm2d:n=6");
}

}  // namespace
}  // namespace damocles
