// The plan of a static schedule: what it lists, and that it is what the strategy of that name runs.

#include "orders/static_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::static_plan_test {
namespace {

TEST(NamedSchedules, AreStrategiesEachOnce) {
  std::set<std::string> names;
  for (const NamedSchedule& one : named_schedules()) {
    const std::string name(one.name);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(strategy_called(name).name, name);
    EXPECT_EQ(schedule_called(name), one.schedule);
  }
  EXPECT_EQ(names.size(), 11U);
}

TEST(NamedSchedules, RefuseAnUnknownName) {
  EXPECT_THROW((void)schedule_called("eager"), std::logic_error);
}

TEST(StaticPlan, ListsEachTaskAfterThoseThatItWaitsFor) {
  const Workload workload = Workload::parse("cholesky:n=6,deps=true");
  const Platform platform = Scenario::parse("gpus:k=2,memory=20data,cpus=2").draw(1, 0);
  for (const NamedSchedule& one : named_schedules()) {
    const StaticPlan plan = static_plan(workload, platform, one.schedule);

    ASSERT_EQ(plan.order.size(), workload.tasks()) << one.name;
    Countdown waits(workload.graph().dependencies(), workload.tasks());
    for (const auto task : plan.order) {
      EXPECT_FALSE(waits.waits(task)) << one.name;
      waits.ended(task, [](auto) {});
    }
    std::size_t listed = 0;
    for (const auto& list : plan.of_processors) {
      listed += list.size();
      std::size_t at = 0;  // lists are in the order of all
      for (const auto task : plan.order) at += at < list.size() && list[at] == task ? 1 : 0;
      EXPECT_EQ(at, list.size()) << one.name;
    }
    EXPECT_EQ(listed, workload.tasks()) << one.name;
  }
}

TEST(StaticPlan, IsWhatTheStrategyOfItsNameRuns) {
  const Workload workload = Workload::parse("lu:n=4,deps=true");
  const Platform platform = Scenario::parse("gpus:k=2,memory=16data").draw(1, 0);
  for (const NamedSchedule& one : named_schedules()) {
    const auto choice = StrategyChoice::parse(std::string(one.name), workload);
    const Trace trace = simulate(workload, platform, choice, 1, 0);
    const StaticPlan plan = static_plan(workload, platform, one.schedule);

    EXPECT_EQ(trace.planned_makespan_s, plan.makespan_s) << one.name;
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(trace.tasks[k], plan.of_processors[k].size()) << one.name;
    }
  }
}

}  // namespace
}  // namespace damocles::static_plan_test
