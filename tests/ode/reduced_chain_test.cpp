#include "ode/reduced_chain.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/simulate.hpp"
#include "tests/ode/shares.hpp"

namespace damocles::reduced_chain_test {
namespace {

TEST(SampleDynamic, IsTheSameAtEveryCall) {
  const Problem problem(Workload::outer(20, 20), rising_shares(5));
  EXPECT_EQ(sample_dynamic(problem).mean, sample_dynamic(problem).mean);
}

/// The chain knows no indices and no tasks, the strategy does; on grids this small the laws of what
/// steps find are at their worst. 400 runs know the mean to 1 %, 3 % is what the closure may cost.
TEST(SampleDynamic, AgreesWithRunsOnSmallGrids) {
  for (const auto& workload : {Workload::outer(8, 8), Workload::matrix(5, 5, 5)}) {
    const std::vector<double> speeds{1, 2, 3};
    const auto strategy = StrategyChoice::parse("dynamic", workload);
    double sum = 0;
    for (std::uint64_t run = 0; run < 400; ++run) {
      const Platform platform{speeds, 0, {}};
      sum += static_cast<double>(simulate(workload, platform, strategy, 1, run).total_loads());
    }
    const ChainLoads loads =
        sample_dynamic({workload, std::vector<double>{1 / 6., 2 / 6., 3 / 6.}});
    EXPECT_NEAR(loads.mean / (sum / 400), 1, 0.04) << workload.text();
  }
}

/// Rectangles are followed until one side is whole and on. Nobody loads a data item twice.
TEST(SampleDynamic, EndsOnRectangles) {
  for (const auto& workload : {Workload::outer(5, 60), Workload::matrix(4, 10, 25)}) {
    const Problem problem(workload, equal_shares(6));
    const ChainLoads loads = sample_dynamic(problem);
    EXPECT_GT(loads.mean, problem.balanced_bound());
    EXPECT_LE(loads.mean, 6 * static_cast<double>(workload.data()));
    EXPECT_GT(loads.variance, 0);
  }
}

/// A step on a square loads two data items.
TEST(ChainSteps, AreHalfOfWhatIsLoaded) {
  for (const std::size_t processors : {2, 20, 100}) {
    const Problem problem(Workload::outer(200, 200), equal_shares(processors));
    EXPECT_NEAR(chain_steps(problem) / (sample_dynamic(problem).mean / 2), 1, 0.5) << processors;
  }
}

TEST(ChainSteps, AreOfTheLongSideOnRectangles) {
  const Problem problem(Workload::outer(1, 1'000'000), equal_shares(2));
  EXPECT_NEAR(chain_steps(problem), 2e6, 1e4);
}

}  // namespace
}  // namespace damocles::reduced_chain_test
