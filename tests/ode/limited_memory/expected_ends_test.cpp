#include "ode/limited_memory/expected_ends.hpp"

#include <gtest/gtest.h>

#include "models/workload.hpp"

namespace damocles::expected_ends_test {
namespace {

/// Two processors. Task (i, j) of two rows and two columns is 2 i + j, takes 10 s and reads a_i and
/// b_j; a transfer is expected to take 4 s, as both processors use the bus in both directions.
class TwoProcessors : public ::testing::Test {
 protected:
  [[nodiscard]] LimitedRun run() const {
    LimitedRun result{.graph = &grid_.graph(), .processors = 2, .task_s = 10};
    result.bus_s = result.link_s = 1;
    return result;
  }

 private:
  Workload grid_ = Workload::parse("gemm2d:n=2");
};

TEST_F(TwoProcessors, GetATaskWhereItsEndAndItsTransfersAddUpToTheLeast) {
  const LimitedRun machine = run();
  ExpectedEnds ends(machine);
  const auto first = ends.choose(0);
  EXPECT_EQ(first.processor, 0U);
  EXPECT_EQ(first.end_s, 18);  // 2 transfers, and the task
  ends.allot(0, first);
  // Beside the first: 28 and one transfer. On the other one: 18 and two.
  const auto second = ends.choose(1);
  EXPECT_EQ(second.processor, 1U);
  EXPECT_EQ(second.end_s, 18);
  EXPECT_EQ(ends.spread_s(1), 10);
}

TEST_F(TwoProcessors, CountWaitsUntilTasksStartAndWorkUntilItEnds) {
  const LimitedRun machine = run();
  ExpectedEnds ends(machine);
  ends.allot(0, ends.choose(0));
  ends.started(0, 0);
  // 10 of work, and one transfer meanwhile: 20 + 4 is less than 18 + 8 on the other one.
  const auto second = ends.choose(1);
  EXPECT_EQ(second.processor, 0U);
  EXPECT_EQ(second.end_s, 20);
  ends.allot(1, second);
  ends.ended(0, 0);
  ends.started(0, 1);
  // 10 of work are left, and one transfer is hidden behind them.
  const auto third = ends.choose(2);
  EXPECT_EQ(third.processor, 0U);
  EXPECT_EQ(third.end_s, 20);
}

TEST_F(TwoProcessors, StartAtOnceWhereTransfersDelayNothing) {
  const LimitedRun machine = run();
  ExpectedEnds ends(machine, false);
  EXPECT_EQ(ends.choose(0).end_s, 10);
}

}  // namespace
}  // namespace damocles::expected_ends_test
