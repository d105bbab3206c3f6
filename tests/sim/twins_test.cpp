// Strategies made of the same parts decide the same: laws are held to one of each.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::twins_test {
namespace {

std::vector<RunEvent> events(const std::string& strategy, const Workload& workload,
                             const std::string& platform) {
  std::vector<RunEvent> seen;
  (void)simulate_limited(workload, Scenario::parse(platform).draw(1, 0),
                         StrategyChoice::parse(strategy, workload), 1, 0,
                         [&](const RunEvent& event) { seen.push_back(event); });
  return seen;
}

/// At one depth, which the platform says, and equally patient.
TEST(Twins, MakeTheSameRuns) {
  for (const auto& [twin, of] : twins()) {
    for (const auto* const workload :
         {"cholesky:n=6,deps=true", "gemm2d:n=6", "layered:n=5,layers=6"}) {
      for (const auto* const platform : {"gpus:k=2,memory=8data,depth=3",
                                         "gpus:k=2,memory=8data,depth=1,cpus=2,cpu_gflops=500"}) {
        const auto parsed = Workload::parse(workload);
        for (const std::string patient : {":patient=true", ":patient=false"}) {
          EXPECT_EQ(events(twin + patient, parsed, platform),
                    events(of + patient, parsed, platform))
              << twin << ", " << of << ", " << workload << ", " << platform << patient;
        }
      }
    }
  }
}

TEST(Twins, AreOfTheTable) {
  for (const auto& [twin, of] : twins()) {
    const auto& one = Table<StrategyEntry>::named(twin);
    const auto& other = Table<StrategyEntry>::named(of);

    EXPECT_FALSE(twins().contains(of)) << of;
    EXPECT_EQ(one.options, other.options) << twin;
    EXPECT_EQ(one.eviction, other.eviction) << twin;
    EXPECT_EQ(one.follows_dependencies, other.follows_dependencies) << twin;
    EXPECT_EQ(one.tells_kinds, other.tells_kinds) << twin;
  }
}

}  // namespace
}  // namespace damocles::twins_test
