#include "experiments/execution/run_summary.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace damocles::run_summary_test {
namespace {

using json = nlohmann::json;
using Kind = RunEvent::Kind;

const DeviceDescription device{
    .backend = "host", .name = "two cores", .driver = "no driver", .parts = {"1 core", "1 core"}};

/// A run of 2 s: 6 GFlop/s, 1 MB loaded, 0.25 + 0.5 MB written, 3 MB of sums, 20 ms of decisions.
Executed run_of(const std::string& strategy, std::uint64_t replicate) {
  Executed run;
  run.record.strategy = strategy;
  run.record.replicate = replicate;
  run.record.makespan_s = 2;
  run.record.gflops = 6;
  run.record.bytes_loaded = 1e6;
  run.record.status = {Status::Kind::ok};
  run.execution.trace.makespan_s = 2;
  run.execution.trace.scheduling_s = 0.02;
  run.execution.trace.loads = {1};
  run.execution.trace.bytes_written = {250'000, 500'000};
  run.execution.bytes_summed = 3'000'000;
  run.execution.total_s = 2.125;
  run.execution.peak_bytes = {64};
  // Of 1 s of copies, 0.25 while the task runs.
  const ProcessorId p{0};
  run.execution.events = {{Kind::granted, 0, p, 0},       {Kind::load_started, 0, p, 0},
                          {Kind::load_ended, 0.75, p, 0}, {Kind::task_started, 0.75, p, 0},
                          {Kind::load_started, 1, p, 1},  {Kind::load_ended, 1.25, p, 1},
                          {Kind::task_ended, 2, p, 0}};
  run.verification.text = "right: of run " + std::to_string(replicate);
  return run;
}

/// A table that names these strategies, with what else the records say.
ResultTable table_of(const std::vector<std::string>& strategies) {
  ResultTable table;
  table.cells.push_back({"strategy", "model", "loads", "scheduling_s"});
  for (const std::string& name : strategies) table.cells.push_back({name, "host", "1", "0.02"});
  return table;
}

TEST(RunDetails, AddToEachStrategyTheMeansOfItsRuns) {
  std::vector<Executed> runs{run_of("darts", 0), run_of("darts", 1), run_of("eager", 0)};
  runs[1].record.gflops = 3;
  runs[1].record.bytes_loaded = 2e6;
  runs[1].execution.bytes_summed = 0;
  ResultTable table = table_of({"eager (+1)", "darts"});

  add_details(table, runs, 12e9);

  EXPECT_EQ(
      aligned(table.cells, {}),
      "strategy    loads  of peak  MB loaded  MB written  MB summed  overlap  scheduling  home_ms\n"
      "eager (+1)      1   50.0 %          1        0.75          3   25.0 %      1.00 %      125\n"
      "darts           1   37.5 %        1.5        0.75        1.5   25.0 %      1.00 %      125\n");
}

TEST(RunDetails, LeaveOutWhatWasNotMeasured) {
  Executed run = run_of("darts", 0);
  run.execution.events.clear();
  run.execution.trace.makespan_s = 0;
  run.execution.total_s = 0;
  ResultTable table = table_of({"darts"});

  add_details(table, {run}, 0);

  EXPECT_EQ(aligned(table.cells, {}),
            "strategy  loads  MB loaded  MB written  MB summed  scheduling  home_ms\n"
            "darts         1          1        0.75          3      0.00 %        0\n");
}

TEST(RunDetails, HaveTheLargestErrorOverItsTolerance) {
  Executed run = run_of("darts", 0);
  run.verification.check = Check::full;
  run.verification.worst = 0.0123;
  ResultTable table = table_of({"darts"});

  add_details(table, {run}, 0);

  EXPECT_EQ(table.cells[0].back(), "error");
  EXPECT_EQ(table.cells[1].back(), "0.012");
  const json all = run_details({run}, device, 0);
  EXPECT_EQ(all["runs"][0]["worst_error_over_tolerance"], 0.0123);
}

TEST(RunSummary, SaysWhatAllRunsShare) {
  std::vector<Executed> runs{run_of("darts", 0), run_of("darts", 1), run_of("eager", 0)};
  runs[1].execution.latest_s = 0.0015;
  runs[2].verification.text.clear();

  EXPECT_EQ(run_summary(runs, device, 12e9),
            "device: two cores (host), no driver\n"
            "peak: 12 GFlop/s, this kernel on all processors at once, measured\n"
            "paced: threads woke up at most 1.5 ms late\n"
            "result: right: of run 1\n");
  EXPECT_EQ(run_summary({runs[2]}, device, 0), "device: two cores (host), no driver\n");
}

TEST(RunDetails, AreANumberEach) {
  json all = run_details({run_of("darts", 3)}, device, 12e9);

  EXPECT_EQ(all["device"]["date"], today());
  all["device"].erase("date");
  EXPECT_EQ(all, json::parse(R"({
    "device": {"backend": "host", "name": "two cores", "driver": "no driver",
               "processors": ["1 core", "1 core"]},
    "peak_gflops": 12.0,
    "runs": [{"strategy": "darts", "replicate": 3, "status": "ok", "failure": "",
              "verification": "right: of run 3",
              "worst_error_over_tolerance": null, "total_s": 2.125, "peak_share": 0.5,
              "bytes_written": 750000.0, "bytes_summed": 3000000.0, "memory_peak_bytes": [64],
              "overlap": 0.25, "scheduling_share": 0.01, "latest_s": 0.0}]})"));
}

TEST(RunDetails, AreNullWhereNothingWasMeasured) {
  Executed run = run_of("darts", 0);
  run.execution.events.clear();
  const json all = run_details({run}, device, 0);

  EXPECT_TRUE(all["peak_gflops"].is_null());
  EXPECT_TRUE(all["runs"][0]["peak_share"].is_null());
  EXPECT_TRUE(all["runs"][0]["overlap"].is_null());
}

}  // namespace
}  // namespace damocles::run_summary_test
