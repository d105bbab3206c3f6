#include "sim/run_share.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::run_share_test {
namespace {

/// What a run tells when a task ends, the last of its events.
std::vector<double> shares_of(const std::string& workload, const std::string& platform) {
  const Workload asked = Workload::parse(workload);
  RunShare outer;
  RunShare share;
  std::vector<double> seen{share.value()};
  static_cast<void>(simulate(asked, Scenario::parse(platform).draw(1, 0),
                             StrategyChoice::parse("eager", asked), 1, 0, {},
                             [&](const RunEvent& event) {
                               if (event.kind != RunEvent::Kind::task_ended) return;
                               if (share.value() > seen.back()) seen.push_back(share.value());
                             }));
  seen.push_back(share.value());
  EXPECT_EQ(outer.value(), 0);
  return seen;
}

TEST(RunShare, GoesFromNothingToAllOnLimitedMemory) {
  EXPECT_EQ(shares_of("gemm2d:n=2", "gpus:k=1,memory=3data"),
            (std::vector<double>{0, 0.25, 0.5, 0.75, 1, 1}));
}

TEST(RunShare, GoesToAllOnUnlimitedMemory) {
  EXPECT_EQ(shares_of("outer:n=2", "homogeneous:p=1").back(), 1);
}

TEST(RunShare, EndsARunWhenItsCheckThrows) {
  for (const auto& [workload, platform] : {std::pair("gemm2d:n=4", "gpus:k=1,memory=3data"),
                                           std::pair("outer:n=4", "homogeneous:p=1")}) {
    const Workload asked = Workload::parse(workload);
    int calls = 0;
    const StopCheck check = [&] {
      if (++calls == 3) throw std::runtime_error("stopped");
    };
    const RunShare share(&check);
    EXPECT_THROW(static_cast<void>(simulate(asked, Scenario::parse(platform).draw(1, 0),
                                            StrategyChoice::parse("eager", asked), 1, 0)),
                 std::runtime_error);
    EXPECT_EQ(calls, 3);
  }
}

TEST(RunShare, IsOfTheInnermostThatStands) {
  RunShare outer;
  {
    RunShare inner;
    EXPECT_EQ(RunShare::of_this_thread(), &inner);
  }
  EXPECT_EQ(RunShare::of_this_thread(), &outer);
}

}  // namespace
}  // namespace damocles::run_share_test
