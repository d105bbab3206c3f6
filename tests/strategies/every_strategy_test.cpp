#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "models/bounds/grid_bound.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::every_strategy_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// One run, and what an observer saw of it.
struct Seen {
  Workload workload;
  Platform platform;
  Trace trace;
  std::vector<int> times_run;            ///< of each task
  std::vector<std::set<DataId>> held;    ///< by each processor, at the end
  std::vector<std::set<DataId>> needed;  ///< by the tasks of each processor
  std::vector<std::uint64_t> loads;      ///< sent to each processor, counted one by one
  std::vector<std::uint64_t> tasks;      ///< run by each processor
  std::uint64_t sent_twice = 0;          ///< data that the processor held already
  std::uint64_t missing = 0;             ///< inputs that were not there when the task ran
  bool time_went_back = false;
};

Seen watch(const Workload& workload, const Scenario& scenario, const std::string& choice,
           std::uint64_t seed) {
  const Platform platform = scenario.draw(seed, 0);
  const std::size_t p = platform.processors();
  Seen seen{workload, platform, {}, std::vector<int>(workload.tasks(), 0), {}, {}, {}, {}};
  seen.held.resize(p);
  seen.needed.resize(p);
  seen.loads.resize(p);
  seen.tasks.resize(p);
  double last = 0;
  const Observer observer = [&](double now, ProcessorId processor, const Grant& grant) {
    const std::size_t at = raw(processor);
    if (now < last) seen.time_went_back = true;
    last = now;
    for (const DataId data : grant.loads) {
      ++seen.loads[at];
      if (!seen.held[at].insert(data).second) ++seen.sent_twice;
    }
    grant.tasks.for_each([&](TaskId task) {
      ++seen.tasks[at];
      ++seen.times_run.at(raw(task));
      workload.for_each_input(task, [&](DataId data) {
        seen.needed[at].insert(data);
        if (!seen.held[at].contains(data)) ++seen.missing;
      });
    });
  };
  seen.trace =
      simulate(workload, platform, StrategyChoice::parse(choice, workload), seed, 0, observer);
  return seen;
}

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  /// Calls check(seen) for a run on each workload, scenario and seed.
  template <typename Check>
  void for_each_run(Check&& check) const {
    for (const auto* workload_text :
         {"outer:n=1", "outer:n=7", "outer:m=5,n=13", "outer:m=13,n=5", "outer:m=1,n=70",
          "outer:n=2", "matrix:n=4", "matrix:m=2,n=3,k=5", "matrix:m=1,n=1,k=9",
          "matrix:m=7,n=1,k=2"}) {
      const auto workload = Workload::parse(workload_text);
      if (!defined_on(GetParam(), workload)) continue;
      for (const auto* scenario_text :
           {"homogeneous:p=1", "homogeneous:p=6", "uniform:p=5,lo=10,hi=100", "speeds:1,1000",
            "dyn.20:p=4", "homogeneous:p=70"}) {
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
          SCOPED_TRACE(testing::Message()
                       << workload_text << " " << scenario_text << " seed " << seed);
          check(watch(workload, Scenario::parse(scenario_text), GetParam(), seed));
        }
      }
    }
  }
};

TEST_P(EveryStrategy, RunsEachTaskOnce) {
  for_each_run([](const Seen& seen) {
    EXPECT_EQ(std::count(seen.times_run.begin(), seen.times_run.end(), 1),
              static_cast<std::int64_t>(seen.workload.tasks()));
  });
}

TEST_P(EveryStrategy, SendsTheInputsOfATaskBeforeItRuns) {
  for_each_run([](const Seen& seen) { EXPECT_EQ(seen.missing, 0U); });
}

TEST_P(EveryStrategy, SendsNoDataTwiceToOneProcessor) {
  for_each_run([](const Seen& seen) { EXPECT_EQ(seen.sent_twice, 0U); });
}

TEST_P(EveryStrategy, IsCountedWhereDataMoves) {
  for_each_run([](const Seen& seen) {
    EXPECT_EQ(seen.trace.loads, seen.loads);
    EXPECT_EQ(seen.trace.tasks, seen.tasks);
    EXPECT_FALSE(seen.time_went_back);
  });
}

TEST_P(EveryStrategy, SendsAtLeastWhatTheTasksNeed) {
  const auto name = name_in(GetParam());
  const bool exactly = name == "random" || name == "sorted" || GetParam().ends_with("=1e9");
  for_each_run([&](const Seen& seen) {
    for (std::size_t p = 0; p < seen.loads.size(); ++p) {
      EXPECT_GE(seen.loads[p], seen.needed[p].size());
      if (exactly) {
        EXPECT_EQ(seen.loads[p], seen.needed[p].size());
      }
    }
  });
}

TEST_P(EveryStrategy, StaysAboveTheLowerBound) {
  for_each_run([](const Seen& seen) {
    // For the shares of the tasks that the processors really had.
    double bound = 0;
    for (const std::uint64_t tasks : seen.trace.tasks) {
      bound += box_data(seen.workload, cheapest_box(seen.workload, static_cast<double>(tasks)));
    }
    EXPECT_GE(static_cast<double>(seen.trace.total_loads()), bound * (1 - 100 * eps));
  });
}

TEST_P(EveryStrategy, LoadsAllDataOnceOnOneProcessor) {
  for_each_run([](const Seen& seen) {
    if (seen.loads.size() == 1) {
      EXPECT_EQ(seen.trace.total_loads(), seen.workload.data());
    }
  });
}

TEST_P(EveryStrategy, KeepsProcessorsBusyForNoLongerThanTheRun) {
  for_each_run([](const Seen& seen) {
    EXPECT_GT(seen.trace.busy_fraction(), 0);
    // Each sum of times rounds once a task.
    const double slack = 1 + 2 * eps * static_cast<double>(seen.workload.tasks());
    EXPECT_LE(seen.trace.busy_fraction(), slack);
    for (const double busy : seen.trace.busy_s) EXPECT_LE(busy, seen.trace.makespan_s * slack);
  });
}

TEST_P(EveryStrategy, ComputesEachTaskInOneOverTheSpeed) {
  for_each_run([](const Seen& seen) {
    if (seen.platform.drift > 0) return;
    const auto tasks = static_cast<double>(seen.workload.tasks());
    const double slack = 2 * eps * tasks;
    for (std::size_t p = 0; p < seen.loads.size(); ++p) {
      const double expected = static_cast<double>(seen.tasks[p]) / seen.platform.speeds[p];
      EXPECT_NEAR(seen.trace.busy_s[p], expected, slack * expected);
    }
    const double all =
        std::accumulate(seen.platform.speeds.begin(), seen.platform.speeds.end(), 0.0);
    EXPECT_GE(seen.trace.makespan_s, tasks / all * (1 - slack));
  });
}

TEST_P(EveryStrategy, RepeatsItselfForOneSeed) {
  for_each_run([&](const Seen& seen) {
    const auto choice = StrategyChoice::parse(GetParam(), seen.workload);
    const auto seed = static_cast<std::uint64_t>(seen.workload.tasks());
    EXPECT_EQ(simulate(seen.workload, seen.platform, choice, seed, 4),
              simulate(seen.workload, seen.platform, choice, seed, 4));
  });
}

INSTANTIATE_TEST_SUITE_P(Table, EveryStrategy, testing::ValuesIn(every_choice()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::every_strategy_test
