#include "experiments/execution/calibrating_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/execution/calibration_file.hpp"
#include "models/error.hpp"

namespace damocles::calibrating_runs_test {
namespace {

MachineModel machine() {
  return {.processors = {2, {.flops_per_s = 5e9, .memory_data = 4, .link_bytes_per_s = 5e9}},
          .bus_bytes_per_s = 8e9,
          .latency_s = 1e-6};
}

TEST(CalibratingRuns, AreOfEachStrategyOnBothSizesOfTile) {
  const auto workload = Workload::parse("gemm2d:n=4,tile=32,k=64");
  std::vector<std::size_t> told;
  const auto result =
      fit_to_runs(workload, machine(),
                  {.fitted = {"eager", "random"}, .held_out = {"darts"}, .repeats = 2, .seed = 1},
                  {}, [&](std::size_t done, std::size_t all, double) {
                    EXPECT_EQ(all, 12U);
                    told.push_back(done);
                  });

  ASSERT_EQ(result.runs.size(), 6U);
  const std::string small = "gemm2d:n=4,tile=16,k=64";
  const std::vector<std::pair<std::string, std::string>> expected{
      {workload.text(), "eager"}, {workload.text(), "random"}, {small, "eager"},
      {small, "random"},          {workload.text(), "darts"},  {small, "darts"}};
  for (std::size_t r = 0; r < expected.size(); ++r) {
    const JudgedRuns& row = result.runs[r];
    EXPECT_EQ(std::pair(row.workload, row.strategy), expected[r]);
    EXPECT_EQ(row.held_out, r >= 4);
    EXPECT_EQ(row.executed_s.size(), 2U);
    // Nobody knows how quiet the machine is: the same quantity, no more.
    EXPECT_GT(row.simulated_s, 0.01 * row.median_executed_s());
    EXPECT_LT(row.simulated_s, 100 * row.median_executed_s());
  }
  EXPECT_EQ(result.fit.errors.size(), 8U);
  EXPECT_EQ(told.size(), 13U);
  EXPECT_EQ(told.back(), 12U);
}

/// Tasks of 2 960^2 3840 flops at 5 GFlop/s take 1.4 s: 400 of them, twelve times, far too long.
TEST(WithinTime, ExecutesFewerBlocksOfTheSameSizeWhereRunsAreLong) {
  const auto workload = Workload::parse("gemm2d:n=20,tile=960,k=3840");
  MachineModel large = machine();
  for (ProcessorModel& gpu : large.processors) gpu.memory_data = 40;
  const CalibratingRuns what{.fitted = {"eager", "darts"}, .held_out = {"dmdar"}};
  const PlannedRuns planned = within_time(workload, large, what, 60);
  EXPECT_LE(planned.seconds, 60);
  EXPECT_GE(planned.seconds, 10);
  EXPECT_GE(planned.what.repeats, 2U);
  EXPECT_LT(planned.workload.tasks(), workload.tasks());
  EXPECT_TRUE(planned.workload.text().ends_with(",tile=960,k=3840")) << planned.workload.text();
  EXPECT_EQ(planned.runs(), planned.what.repeats * 2 * 3);
  // What was asked for takes what it takes.
  EXPECT_GT(as_asked(workload, large, what).seconds, 1000);
}

TEST(WithinTime, KeepsWhatIsShort) {
  const auto workload = Workload::parse("gemm2d:n=4,tile=32,k=64");
  const CalibratingRuns what{.fitted = {"eager"}, .held_out = {}, .repeats = 3};
  const PlannedRuns planned = within_time(workload, machine(), what, 60);
  EXPECT_EQ(planned.workload.text(), workload.text());
  EXPECT_EQ(planned.what.repeats, 3U);
  EXPECT_EQ(planned.seconds, as_asked(workload, machine(), what).seconds);
}

TEST(CalibrationWarning, SaysThatTheMachineWasBusyWhereTheFileIsPoor) {
  FittedCalibration fitted;
  fitted.runs = {{.workload = "w",
                  .strategy = "s",
                  .held_out = true,
                  .executed_s = {1, 1},
                  .simulated_s = 1.1}};
  EXPECT_EQ(calibration_warning(fitted, {6, 2}), "");
  fitted.runs[0].simulated_s = 0.35;
  EXPECT_EQ(calibration_warning(fitted, {6, 2}),
            "warning: the file is poor: simulated makespans are off by 65 %; the machine was busy "
            "(load 6.0 on 2 cores); calibrate again while nothing else runs");
  EXPECT_EQ(
      calibration_warning(fitted, {0.2, 8}),
      "warning: the file is poor: simulated makespans are off by 65 %; calibrate again while nothing else runs, or with more --repeats");
}

TEST(CalibratingRuns, AreRefusedWhereTheWorkloadDoesNotFit) {
  MachineModel small = machine();
  for (ProcessorModel& gpu : small.processors) gpu.memory_data = 1;
  EXPECT_THROW((void)fit_to_runs(Workload::parse("gemm2d:n=4,tile=16,k=16"), small,
                                 {.fitted = {"eager"}, .held_out = {}}, {}),
               InvalidInput);
}

TEST(CalibratingRuns, HalveTheTilesThatAreThereAndLargeEnough) {
  const auto half = [](const char* text) { return with_half_the_tile(Workload::parse(text)); };
  EXPECT_EQ(half("gemm2d:n=4,tile=32,k=64"), "gemm2d:n=4,tile=16,k=64");
  EXPECT_EQ(half("gemm3d:n=4,tile=512"), "gemm3d:n=4,tile=256");
  EXPECT_EQ(half("gemm2d:n=4,tile=33,k=64"), "");
  EXPECT_EQ(half("gemm2d:n=4,tile=30,k=64"), "");
  EXPECT_EQ(half("outer:n=4"), "");
}

TEST(JudgedRuns, HaveAMedianAnErrorAndDeviations) {
  JudgedRuns row{.workload = "w", .strategy = "s", .executed_s = {4, 2, 5}, .simulated_s = 3};
  EXPECT_EQ(row.median_executed_s(), 4);
  EXPECT_EQ(row.error(), -0.25);
  EXPECT_DOUBLE_EQ(row.executed_sd(), 1.4826 * 1 / 4);
  EXPECT_NEAR(row.median_sd(), row.executed_sd() * std::sqrt(std::acos(-1.0) / 2 / 3), 1e-4);
  row.executed_s = {4, 4, 5};
  EXPECT_EQ(row.executed_sd(), 0.01);
  row.executed_s = {2, 4, 3, 9};
  EXPECT_EQ(row.median_executed_s(), 3.5);
}

/// A calibration with round numbers, of which one strategy is held out.
CalibrationFile example() {
  CalibrationFile file;
  file.workload = "gemm2d:n=4,tile=32,k=64";
  file.memory = "4data";
  file.device = {"host", "a CPU", "a library", {"a thread", "a thread"}};
  file.measured = {.task_s = {0.5, 0.25},
                   .task_alone_s = {0.5, 0.2},
                   .task_flops = 1e9,
                   .link_bytes_per_s = {3e9, 4e9},
                   .bus_bytes_per_s = 5e9,
                   .latency_s = 2e-6,
                   .sharing = BusSharing::fifo};
  return file;
}

TEST(CalibrationFile, SaysWhatWasMeasuredAndWhyItIsNotFitted) {
  CalibrationFile file = example();
  file.why_not_fitted = "no time";
  const std::string text = calibration_file(file);
  EXPECT_NE(text.find("# a CPU (host), a library; measured 2"), std::string::npos) << text;
  EXPECT_NE(text.find("speeds:2,4\n"
                      "# Each figure as measured apart, not fitted to runs: no time.\n\n"
                      "[bus]\n"
                      "bandwidth = \"5GB/s\"  # all processors at once\n"
                      "latency = \"2us\"\n"
                      "sharing = \"fifo\"  # a copy waits for another processor's\n\n"
                      "[[gpus]]  # processor 0, a thread; alone 2 GFlop/s\n"
                      "gflops = 2\n"
                      "memory = \"4data\"\n"
                      "link = \"3GB/s\"\n\n"
                      "[[gpus]]  # processor 1, a thread; alone 5 GFlop/s\n"
                      "gflops = 4\n"
                      "memory = \"4data\"\n"
                      "link = \"4GB/s\"\n"),
            std::string::npos)
      << text;
}

TEST(CalibrationFile, SaysWhatWasFittedAndWhatItDoesNotExplain) {
  CalibrationFile file = example();
  file.fitted.emplace();
  FittedCalibration& fitted = *file.fitted;
  fitted.fit.machine =
      measured_machine(file.measured, {.processors = std::vector<ProcessorModel>(2)});
  fitted.fit.machine.overhead_s = 3e-6;
  fitted.fit.machine.interference = 0.5;
  fitted.fit.figures = {{"overhead_us", 0, 3, 0.25}};
  fitted.fit.errors = {0.03, -0.04};
  fitted.runs = {{file.workload, "eager", false, {2, 2.02}, 2.03},
                 {file.workload, "hfp", true, {4, 4}, 3.9}};
  const std::string text = calibration_file(file);
  for (
      const char* const part :
      {"# overhead_us                    0           3      0.25\n"
       "# With these, the decisions of 2 runs replayed end 3.5 % (rms) off.\n",
       "eager                  2.01    0.9 %       2.03   +1.0 %\n",
       "hfp                       4    0.9 %        3.9   -2.5 %  held out\n",
       "# Not explained: 1.0 % (rms) of the fitted makespans, 2.5 % of those held out, at most 2.5 %;\n"
       "# those are themselves known to 0.9 %, by 2 runs each.\n",
       "overhead = \"3us\"  # of each task, beside its flops\n"
       "interference = 0.5  # of a copy's own time, taken from the task beside it\n"
       "jitter = \"off\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(
      calibration_summary(fitted),
      "makespans that it was not fitted to are simulated within 2.5 % (2.5 % rms), where they are themselves known to 0.9 % (sd of 2 runs)");
  fitted.runs.pop_back();
  EXPECT_NE(calibration_file(file).find(
                "# Not explained: 1.0 % (rms) of these makespans; nothing was held out.\n"),
            std::string::npos);
  EXPECT_EQ(calibration_summary(fitted),
            "makespans of the runs it was fitted to are off by 1.0 % (rms)");
}

}  // namespace
}  // namespace damocles::calibrating_runs_test
