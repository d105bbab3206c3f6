#include <gtest/gtest.h>

#include <cmath>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "tests/statistics.hpp"
#include "tests/strategies/driver.hpp"

namespace damocles::random_test {
namespace {

TEST(Random, GrantsEachTaskFirstEquallyOften) {
  const auto workload = Workload::matrix(2, 3, 2);
  std::vector<double> counts(12, 0);

  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    Driver driver(workload, 2, "random", seed);
    const auto answer = driver.ask(1);
    ASSERT_EQ(answer.tasks.size(), 1U);
    ASSERT_EQ(answer.loads.size(), 3U);
    ++counts[*answer.tasks.begin()];
  }

  EXPECT_LT(chi_square(counts), chi_square_bound(12));
}

TEST(Random, SendsOnlyTheDataThatAreMissing) {
  Driver driver(Workload::outer(1, 3), 2, "random", 1);

  EXPECT_EQ(driver.ask(0).loads.size(), 2U);  // a_0 and some b
  EXPECT_EQ(driver.ask(0).loads.size(), 1U);  // a_0 is there
  EXPECT_EQ(driver.ask(1).loads.size(), 2U);  // but not on the other processor
  EXPECT_TRUE(driver.ask(0).loads.empty());
  EXPECT_TRUE(driver.ask(1).tasks.empty());
}

// n^2 / p tasks each, any of them: a row is missed by all with probability close to
// C(n^2 - n, t) / C(n^2, t), the hypergeometric law, so 2 n p (1 - that) loads are expected.
TEST(Random, LoadsWhatTheHypergeometricLawExpects) {
  constexpr int n = 20;
  constexpr int p = 10;
  constexpr int t = n * n / p;
  double missed = 1;
  for (int i = 0; i < t; ++i) missed *= static_cast<double>(n * n - n - i) / (n * n - i);
  const double expected = 2 * n * p * (1 - missed);
  const auto workload = Workload::outer(n, n);
  std::vector<double> sample;

  for (std::uint64_t replicate = 0; replicate < 200; ++replicate) {
    const auto trace = simulate(workload, Scenario::homogeneous(p).draw(1, replicate),
                                StrategyChoice::parse("random", workload), 1, replicate);
    sample.push_back(static_cast<double>(trace.total_loads()));
  }

  const auto mean = mean_of(sample);
  EXPECT_NEAR(mean.value, expected, 5 * std::sqrt(mean.variance));
}

}  // namespace
}  // namespace damocles::random_test
