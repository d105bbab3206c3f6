#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/host/host_device.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "tests/statistics.hpp"

namespace damocles::executed_statistics_test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool on_time = false;  // kernels and locks take many times as long
#else
constexpr bool on_time = true;
#endif

const Workload& workload() {
  static const Workload outer = Workload::outer(40, 40);
  return outer;
}

Platform platform(std::uint64_t replicate) {
  return Scenario::parse("uniform:p=10,lo=10,hi=100").draw(1, replicate);
}

/// Seconds that a second of the platform's time takes when the mean task takes `task_s`.
double scale(const Platform& platform, double task_s) {
  double mean_s = 0;
  for (const double speed : platform.speeds) {
    mean_s += 1 / speed / static_cast<double>(platform.processors());
  }
  return task_s / mean_s;
}

Execution run(const std::string& strategy, std::uint64_t replicate, double task_s) {
  const Platform drawn = platform(replicate);
  const auto device = make_host_device({.processors = drawn.processors(), .paced = true});
  const auto arithmetic = Arithmetic::of(workload(), {.tile = 4, .rank = 2}, 1);
  Store store(arithmetic, *device);
  return execute(workload(), drawn, StrategyChoice::parse(strategy, workload()), arithmetic, store,
                 *device, {.seed = 1, .replicate = replicate, .time_scale = scale(drawn, task_s)});
}

Mean executed_loads(const std::string& strategy, double task_s) {
  std::vector<double> loads;
  for (std::uint64_t replicate = 0; replicate < 10; ++replicate) {
    const Execution execution = run(strategy, replicate, task_s);
    EXPECT_EQ(execution.failure, "");
    loads.push_back(static_cast<double>(execution.trace.total_loads()));
  }
  return mean_of(loads);
}

Mean simulated_loads(const std::string& strategy) {
  const auto choice = StrategyChoice::parse(strategy, workload());
  std::vector<double> loads;
  for (std::uint64_t replicate = 0; replicate < 100; ++replicate) {
    const Trace trace = simulate(workload(), platform(replicate), choice, 1, replicate);
    loads.push_back(static_cast<double>(trace.total_loads()));
  }
  return mean_of(loads);
}

class EveryPacedRun : public testing::TestWithParam<const char*> {};

/// Means of 10 executed and of 100 simulated runs: within 3 standard errors of their difference, or
/// within 2 %. Tasks take half a millisecond; on a busy machine threads that are late let others
/// take their tasks, so then runs of longer tasks decide, which that disturbs less.
TEST_P(EveryPacedRun, LoadsAsMuchAsTheSimulated) {
  const Mean simulated = simulated_loads(GetParam());
  double off = 0;
  double bound = 0;
  for (const double task_s : {0.5e-3, 1e-3, 2e-3, 4e-3}) {
    const Mean executed = executed_loads(GetParam(), task_s);
    off = std::abs(executed.value - simulated.value);
    bound = std::max(3 * std::sqrt(executed.variance + simulated.variance), 0.02 * simulated.value);
    RecordProperty("executed", std::to_string(executed.value));
    RecordProperty("simulated", std::to_string(simulated.value));
    if (off <= bound) break;
  }

  EXPECT_LE(off, bound) << "simulated " << simulated.value;
}

INSTANTIATE_TEST_SUITE_P(Hpdc14, EveryPacedRun,
                         testing::Values("random", "sorted", "dynamic", "dynamic-2phases:beta=3"),
                         [](const auto& test) {
                           std::string name = test.param;
                           return name.substr(0, name.find_first_of("-:")) +
                                  (name.find('-') == std::string::npos ? "" : "_2phases");
                         });

/// Tasks follow each other in the run's own time, so a makespan is longer than the simulated one
/// only by copies and by the waits of threads that were late: on an idle machine by about 2 %; here
/// the best of 5 runs may take a quarter longer. It is never shorter than all tasks on all speeds,
/// nor, where every processor's share is fixed, than the simulated one.
TEST(PacedRun, TakesAsLongAsTheSimulated) {
  if (!on_time) GTEST_SKIP() << "sanitizers slow the kernels down";
  const Platform drawn = platform(0);
  double speed = 0;
  for (const double one : drawn.speeds) speed += one;
  const double to_s = scale(drawn, 0.5e-3);
  for (const auto* strategy : {"dynamic", "static-columns"}) {
    double best_s = 1e9;
    for (int i = 0; i < 5; ++i) {
      best_s = std::min(best_s, run(strategy, 0, 0.5e-3).trace.makespan_s);
    }
    const double simulated_s =
        to_s *
        simulate(workload(), drawn, StrategyChoice::parse(strategy, workload()), 1, 0).makespan_s;
    const bool fixed = std::string(strategy) == "static-columns";

    EXPECT_GE(best_s, (1 - 1e-9) * (fixed ? simulated_s : to_s * 1600 / speed)) << strategy;
    EXPECT_LE(best_s, 1.25 * simulated_s) << strategy;
    RecordProperty(strategy, std::to_string(best_s / simulated_s));
  }
}

}  // namespace
}  // namespace damocles::executed_statistics_test
