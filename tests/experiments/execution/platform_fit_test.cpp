#include "experiments/execution/platform_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "models/error.hpp"
#include "sim/limited_run.hpp"

namespace damocles::platform_fit_test {
namespace {

/// Two processors that would compute a task in about 20 ms and copy its data in 1.
MachineModel measured() {
  MachineModel machine{.processors = {}, .bus_bytes_per_s = 10e9, .latency_s = 5e-6, .jitter = 0};
  for (const double gflops : {50e9, 55e9}) {
    machine.processors.push_back(
        {.flops_per_s = gflops, .memory_data = 8, .link_bytes_per_s = 8e9});
  }
  return machine;
}

Platform platform(const MachineModel& machine) {
  Platform result{.speeds = {}, .machine = machine};
  for (const ProcessorModel& gpu : machine.processors) result.speeds.push_back(gpu.flops_per_s);
  return result;
}

/// Of large and of small tasks.
const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all{Workload::parse("gemm2d:n=12,tile=512,k=2048"),
                                         Workload::parse("gemm2d:n=12,tile=256,k=2048")};
  return all;
}

double makespan_s(const MachineModel& machine, const Workload& workload, const char* strategy,
                  const Watcher& watcher = {}) {
  return simulate_limited(workload, platform(machine), StrategyChoice::parse(strategy, workload), 3,
                          0, watcher)
      .makespan_s;
}

/// The same run, that much longer.
void stretch(TimedRun& run, double factor) {
  for (RunEvent& event : run.decisions.events) event.time_s *= factor;
}

/// Three strategies on both workloads, as if a machine of these limits had executed them.
std::vector<TimedRun> runs_on(const MachineModel& machine) {
  std::vector<TimedRun> result;
  for (const Workload& workload : workloads()) {
    for (const char* const strategy : {"eager", "darts", "random"}) {
      TimedRun run{&workload, {machine.processors.size(), {}}};
      (void)makespan_s(machine, workload, strategy,
                       [&](const RunEvent& event) { run.decisions.events.push_back(event); });
      result.push_back(std::move(run));
    }
  }
  return result;
}

TEST(PlatformFit, FindsAPlatformThatTellsHowLongOtherStrategiesTake) {
  MachineModel truth = measured();
  for (ProcessorModel& gpu : truth.processors) gpu.flops_per_s *= 0.94;
  truth.bus_bytes_per_s *= 0.8;
  truth.overhead_s = 300e-6;
  truth.interference = 0.9;
  const auto runs = runs_on(truth);

  const PlatformFit fit = fit_platform(measured(), runs);

  ASSERT_EQ(fit.errors.size(), runs.size());
  for (const double error : fit.errors) EXPECT_NEAR(error, 0, 3e-3);
  for (const Workload& workload : workloads()) {
    for (const char* const strategy : {"dmdar", "hfp", "panel-streaming"}) {
      const double executed_s = makespan_s(truth, workload, strategy);
      EXPECT_NEAR(makespan_s(fit.machine, workload, strategy), executed_s, 0.01 * executed_s)
          << strategy << " on " << workload.text();
      EXPECT_GT(std::abs(makespan_s(measured(), workload, strategy) / executed_s - 1), 0.04)
          << "without a fit it is as near";
    }
  }
  const std::map<std::string, double> truths{
      {"gflops", 47}, {"overhead_us", 300}, {"interference", 0.9}};
  for (const FittedFigure& figure : fit.figures) {
    const auto known = truths.find(figure.name);
    if (known != truths.end()) {
      EXPECT_NEAR(figure.after, known->second, 3 * figure.sd) << figure.name;
    }
    EXPECT_GT(figure.sd, 0) << figure.name;
  }
}

/// Processors that were once quicker and once slower than each other are in the mean as they are.
TEST(PlatformFit, IsNotMisledByProcessorsWhoseSpeedsWander) {
  std::vector<TimedRun> runs;
  for (const double quicker : {0.85, 1.15}) {
    MachineModel now = measured();
    now.processors[0].flops_per_s *= quicker;
    now.processors[1].flops_per_s *= 2 - quicker;
    for (TimedRun& run : runs_on(now)) runs.push_back(std::move(run));
  }
  const PlatformFit fit = fit_platform(measured(), runs);
  EXPECT_NEAR(fit.machine.processors[0].flops_per_s, 50e9, 0.02 * 50e9);
  const Workload& workload = workloads()[0];
  EXPECT_NEAR(makespan_s(fit.machine, workload, "hfp"), makespan_s(measured(), workload, "hfp"),
              0.02 * makespan_s(measured(), workload, "hfp"));
}

TEST(PlatformFit, LeavesAsMeasuredWhatTheRunsSayNothingOf) {
  MachineModel fast = measured();
  fast.bus_bytes_per_s = 1e15;
  for (ProcessorModel& gpu : fast.processors) gpu.link_bytes_per_s = 1e15;
  fast.latency_s = 1e-12;
  const PlatformFit fit = fit_platform(fast, runs_on(fast));
  EXPECT_NEAR(fit.machine.bus_bytes_per_s, 1e15, 1e12);
  EXPECT_LT(fit.machine.latency_s, 1e-9);
  EXPECT_NEAR(fit.machine.processors[1].flops_per_s / fast.processors[1].flops_per_s, 1, 0.02);
}

TEST(PlatformFit, IsNotMovedFarByARunThatWasDisturbed) {
  auto runs = runs_on(measured());
  stretch(runs[4], 2);
  const PlatformFit fit = fit_platform(measured(), runs);
  EXPECT_NEAR(fit.errors[4], -0.5, 0.05);  // as long as undisturbed
  for (const std::size_t r : {0U, 1U, 2U, 3U, 5U}) EXPECT_NEAR(fit.errors[r], 0, 0.04) << r;
}

/// Whatever the runs say, the figures are such as a platform may have.
TEST(PlatformFit, StaysAPlatformWhereNoneExplainsTheRuns) {
  for (const double factor : {1e-4, 1e4}) {
    auto runs = runs_on(measured());
    for (std::size_t r = 0; r < runs.size(); ++r) stretch(runs[r], r % 2 == 0 ? factor : 1);
    const MachineModel machine = fit_platform(measured(), runs).machine;
    EXPECT_LT(machine.interference, 4);
    for (const double figure : {machine.processors[0].flops_per_s,
                                machine.processors[1].link_bytes_per_s, machine.bus_bytes_per_s}) {
      EXPECT_GT(figure, 1);
      EXPECT_LT(figure, 1e18);
    }
    for (const double time_s : {machine.latency_s, machine.overhead_s}) {
      EXPECT_GE(time_s, 0);
      EXPECT_LT(time_s, 1e3);
    }
  }
}

TEST(PlatformFit, CountsRunsByHowWellTheyAreKnown) {
  // Large tasks are said to take 10 % longer, small ones 10 % less: no figure can do both.
  const auto simulated_with = [](double sd_of_large, double sd_of_small) {
    auto runs = runs_on(measured());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      stretch(runs[r], r < 3 ? 1.1 : 0.9);
      runs[r].sd = r < 3 ? sd_of_large : sd_of_small;
    }
    const PlatformFit fit = fit_platform(measured(), runs);
    return std::pair(1 + fit.errors[0], 1 + fit.errors[5]);
  };
  const auto large_known = simulated_with(0.005, 0.5);
  const auto small_known = simulated_with(0.5, 0.005);
  EXPECT_NEAR(large_known.first, 1, 0.02);
  EXPECT_GT(large_known.second, 1.1);
  EXPECT_NEAR(small_known.second, 1, 0.02);
  EXPECT_LT(small_known.first, 0.9);
}

TEST(PlatformFit, RefusesARunThatTookNoTime) {
  auto runs = runs_on(measured());
  stretch(runs[1], 0);
  EXPECT_THROW((void)fit_platform(measured(), runs), InvalidInput);
}

}  // namespace
}  // namespace damocles::platform_fit_test
