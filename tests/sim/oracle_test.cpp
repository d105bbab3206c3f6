#include "tests/sim/oracle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <ostream>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::oracle_test {
namespace {

struct Case {
  const char* workload;
  const char* platform;
};

void PrintTo(const Case& setting, std::ostream* out) {
  *out << setting.workload << " on " << setting.platform;
}

class Oracle : public testing::TestWithParam<Case> {};

TEST_P(Oracle, AgreesRunForRun) {
  const auto workload = Workload::parse(GetParam().workload);
  const auto scenario = Scenario::parse(GetParam().platform);
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::string, double>> strategies{
      {"sorted", none},          {"random", none},         {"dynamic", none},
      {"dynamic-2phases", 0.25}, {"dynamic-2phases", 1.5}, {"dynamic-2phases", 3},
      {"dynamic-2phases", 50}};

  for (const auto& [name, beta] : strategies) {
    const auto text = std::isnan(beta) ? name : fmt::format("{}:beta={}", name, beta);
    const auto choice = StrategyChoice::parse(text, workload);
    for (std::uint64_t replicate = 0; replicate < 3; ++replicate) {
      const auto platform = scenario.draw(9, replicate);

      const Trace fast = simulate(workload, platform, choice, 9, replicate);
      const Trace slow = oracle::simulate(workload, platform, name, beta, 9, replicate);

      EXPECT_EQ(fast.loads, slow.loads) << text << " replicate " << replicate;
      EXPECT_EQ(fast.tasks, slow.tasks) << text << " replicate " << replicate;
      EXPECT_EQ(fast.busy_s, slow.busy_s) << text << " replicate " << replicate;
      EXPECT_EQ(fast.makespan_s, slow.makespan_s) << text << " replicate " << replicate;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Oracle,
    testing::Values(Case{"outer:n=1", "homogeneous:p=3"}, Case{"outer:n=12", "homogeneous:p=4"},
                    Case{"outer:n=12", "speeds:1,2,4"}, Case{"outer:m=3,n=70", "unif.1:p=5"},
                    Case{"outer:m=70,n=3", "set.3:p=5"}, Case{"outer:m=9,n=130", "dyn.20:p=6"},
                    Case{"outer:n=9", "homogeneous:p=100"}, Case{"matrix:n=5", "homogeneous:p=7"},
                    Case{"matrix:n=6", "speeds:1,1,1000"}, Case{"matrix:n=5", "dyn.5:p=4"},
                    Case{"matrix:m=2,n=3,k=5", "set.5:p=4"},
                    Case{"matrix:m=3,n=2,k=70", "uniform:p=3,lo=10,hi=100"},
                    Case{"matrix:m=1,n=1,k=9", "homogeneous:p=2"}));

}  // namespace
}  // namespace damocles::oracle_test
