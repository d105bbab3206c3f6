#include "ode/request_order.hpp"

#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::request_order_test {
namespace {

/// Speeds 1 and 2: 1 finishes at 0.5 and 1; at 1 both do, and ties go to the smaller id.
TEST(RequestOrder, BreakTiesByProcessor) {
  const std::vector<double> speeds{1, 2};
  RequestOrder turns(speeds);
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 7; ++i) order.push_back(raw(turns.next()));
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 0, 1, 1, 0, 1, 1}));
}

TEST(RequestOrder, AreThoseOfARun) {
  const auto workload = Workload::matrix(13, 14, 15);
  for (const auto* text : {"homogeneous:p=7", "set.5:p=9", "unif.2:p=30", "speeds:1,1e-3,1e3"}) {
    const auto platform = Scenario::parse(text).draw(3, 0);
    std::vector<ProcessorId> asked;
    (void)simulate(workload, platform, StrategyChoice::parse("sorted", workload), 3, 0,
                   [&](double, ProcessorId processor, const Grant& grant) {
                     if (!grant.tasks.empty()) asked.push_back(processor);
                   });

    RequestOrder turns(platform.speeds);
    for (std::size_t i = platform.processors(); i < asked.size(); ++i) {
      ASSERT_EQ(turns.next(), asked[i]) << text << ", request " << i;
    }
  }
}

/// Equal to the last task where no two finish at once; ties may fall otherwise by one task.
TEST(RequestOrder, AreCountedWithoutDealing) {
  for (const auto* text : {"homogeneous:p=7", "set.5:p=9", "unif.2:p=30", "speeds:1,1e-3,1e3"}) {
    const auto platform = Scenario::parse(text).draw(5, 0);
    const std::size_t p = platform.processors();
    for (const std::uint64_t tasks : {p, p + 1, 3 * p, 1000 + p}) {
      RequestOrder turns(platform.speeds);
      std::vector<std::uint64_t> dealt(p, 1);
      for (std::uint64_t task = p; task < tasks; ++task) ++dealt[raw(turns.next())];

      const auto counted = RequestOrder::tasks_of(platform.speeds, tasks);
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < p; ++k) {
        sum += counted[k];
        EXPECT_NEAR(static_cast<double>(counted[k]), static_cast<double>(dealt[k]),
                    platform.speeds.size() == 30 ? 0 : 1)
            << text << ", " << tasks << " tasks, processor " << k;
      }
      EXPECT_EQ(sum, tasks) << text;
    }
  }
}

}  // namespace
}  // namespace damocles::request_order_test
