// beta=auto: the threshold that stands for it, with unlimited and with limited memory.

#include "experiments/prediction/thresholds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

double beta_of_auto(const std::string& workload, const std::string& platform) {
  return *resolve_strategy("dynamic-2phases", Workload::parse(workload),
                           Scenario::parse(platform).draw(1, 0))
              .beta;
}

TEST(AutomaticBeta, NeedsOnlySizesAndTheNumberOfProcessors) {
  const double beta = beta_of_auto("outer:n=100", "homogeneous:p=20");

  EXPECT_NEAR(beta, 4.13, 0.1);  // the refined model's valley; the paper's formula says 4.17
  EXPECT_EQ(beta_of_auto("outer:n=100", "uniform:p=20,lo=10,hi=100"), beta);
}

TEST(AutomaticBeta, FollowsTheMemoryWhereItIsLimited) {
  const double beta = beta_of_auto("gemm2d:n=50", "gpus:k=1,memory=75data");

  EXPECT_GT(beta, 0.6);
  EXPECT_LT(beta, 1);
}

TEST(AutomaticBeta, NeverSwitchesWhereThatSavesNothing) {
  EXPECT_GT(beta_of_auto("gemm2d:n=50", "gpus:k=4,memory=100data"), std::log(2500));
}

/// Where no model of limited memory speaks, that of unlimited memory does.
TEST(AutomaticBeta, IsThatOfUnlimitedMemoryBesideOtherProcessors) {
  EXPECT_EQ(beta_of_auto("gemm2d:n=30", "gpus:k=4,memory=20data,buses=2"),
            beta_of_auto("outer:n=30", "homogeneous:p=4"));
}

TEST(AutomaticBeta, KnowsGpusOfDifferentSpeedsFromEqualOnes) {
  const Workload workload = Workload::parse("gemm2d:n=40");
  Platform platform = Scenario::parse("gpus:k=2,memory=40data,depth=5,jitter=off").draw(1, 0);
  const auto beta = [&] { return *resolve_strategy("dynamic-2phases", workload, platform).beta; };
  const double of_equal_gpus = beta();
  platform.machine->processors[1].flops_per_s /= 4;
  platform.speeds[1] /= 4;

  EXPECT_NE(beta(), of_equal_gpus);
}

TEST(AutomaticBeta, RefusesAMemoryTooSmallForATask) {
  EXPECT_THROW((void)beta_of_auto("gemm2d:n=9", "gpus:k=1,memory=1data"), Infeasible);
}

TEST(ShownBeta, IsReadBackAsItself) {
  for (const double beta : {4.0, 0.5, 1.87, 0.793, 0.809469}) {
    EXPECT_EQ(std::stod(shown_beta(beta)), beta);
  }
  EXPECT_EQ(shown_beta(4), "4.00");
}

TEST(BetaFor, StartsPhase2AtThatManyTasks) {
  const Workload workload = Workload::parse("gemm2d:n=50");
  for (const double left : {1.0, 384.0, 1068.0, 2499.0}) {
    EXPECT_EQ(std::floor(std::exp(-beta_for(workload, left)) * 2500), left);
  }
  EXPECT_LT(std::exp(-beta_for(workload, 0)) * 2500, 1);
}

}  // namespace
}  // namespace damocles
