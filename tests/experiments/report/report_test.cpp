#include "experiments/report/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/report/run_picture.hpp"

namespace damocles {
namespace {

Record simulated_row(const std::string& strategy, const std::string& workload, double loads) {
  Record row;
  row.source = "simulated";
  row.strategy = strategy;
  row.workload = workload;
  row.platform = "p";
  row.loads = loads;
  return row;
}

ReportTable table_of_records(std::vector<Record> records) {
  return {.file = "f.csv", .header = {}, .rows = {}, .records = std::move(records)};
}

TEST(ReportFindings, NameTheBestStrategyOfAPoint) {
  const auto told = findings_of_table(
      table_of_records({simulated_row("a", "w", 30), simulated_row("b", "w", 20)}));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], "w on p: best: b.");
}

TEST(ReportFindings, CountWhoWinsAtManyPoints) {
  std::vector<Record> rows;
  for (int n = 0; n < 7; ++n) {
    const std::string workload = "w:n=" + std::to_string(n);
    rows.push_back(simulated_row("a", workload, 10 + n));
    rows.push_back(simulated_row("b", workload, n < 2 ? 5 : 20));
  }
  EXPECT_EQ(findings_of_table(table_of_records(rows)),
            std::vector<std::string>{"a loads least at 5 of 7 points, b at 2."});
}

TEST(ReportFindings, SayHowFarPredictionsAreOff) {
  Record predicted = simulated_row("a", "w", 11);
  predicted.source = "predicted";
  predicted.model = "exact";
  EXPECT_EQ(
      findings_of_table(table_of_records({simulated_row("a", "w", 10), predicted})),
      std::vector<std::string>{"Predicted (exact): loads are 10.0 % off the simulated ones."});
}

TEST(ReportFindings, CountFailures) {
  Record failed = simulated_row("a", "w", 1);
  failed.status = {Status::Kind::failed};
  EXPECT_EQ(findings_of_table(table_of_records({failed, simulated_row("b", "w", 2)})),
            std::vector<std::string>{"1 of 2 rows failed; the column status says why."});
}

/// One processor: it loads item 7 from 0 to 1 s, runs task 3 from 1 to 3 s, and evicts 7 then.
RunPicture small_picture() {
  RunPicture run;
  run.makespan_s = 4;
  run.task_name = [](std::uint64_t task) { return "T" + std::to_string(task); };
  run.data_name = [](std::uint64_t data) { return "D" + std::to_string(data); };
  PictureRow row{"GPU0", {}};
  row.line.copies = {{0, 1, 7}};
  row.line.tasks = {{1, 3, 3}};
  row.line.evictions = {{3, 7}};
  row.line.waits = {{0, 1, WaitReason::data}};
  row.resident = {{1, 100}, {3, 0}};
  run.processors.push_back(row);
  return run;
}

TEST(RunPicture, HasTimesInTicksSinceTheStartBefore) {
  const auto json = nlohmann::json::parse(picture_json(small_picture(), nullptr));
  const auto& row = json["processors"][0];
  EXPECT_DOUBLE_EQ(json["tick_s"], 4e-8);
  EXPECT_EQ(row["tasks"], nlohmann::json({25'000'000, 50'000'000, 0}));
  EXPECT_EQ(row["copies"], nlohmann::json({0, 25'000'000, 0, 0}));
  EXPECT_EQ(row["evictions"], nlohmann::json({75'000'000, 0, -1}));
  EXPECT_EQ(json["task_names"], nlohmann::json({"T3"}));
  EXPECT_EQ(json["data_names"], nlohmann::json({"D7"}));
}

TEST(RunPicture, KeepsThePeaksOfMemory) {
  const auto json = nlohmann::json::parse(picture_json(small_picture(), nullptr));
  const auto& resident = json["processors"][0]["resident"];
  ASSERT_EQ(resident.size(), 500U);
  EXPECT_EQ(resident[0], 0);
  EXPECT_EQ(resident[200], 100);
  EXPECT_EQ(resident[499], 0);
}

TEST(RunPicture, SumsTheTimeOfLongRunsBySlices) {
  RunPicture run = small_picture();
  auto& tasks = run.processors[0].line.tasks;
  tasks.clear();
  constexpr int many = 200'001;
  for (int i = 0; i < many; ++i) tasks.push_back({2.0 * i / many, 2.0 * (i + 1) / many, 3});
  const auto json = nlohmann::json::parse(picture_json(run, nullptr));
  EXPECT_FALSE(json["whole"]);
  const auto& computing = json["processors"][0]["computing"];
  ASSERT_EQ(computing.size(), 2000U);
  EXPECT_EQ(computing[0], 1000);
  EXPECT_EQ(computing[998], 1000);
  EXPECT_EQ(computing[1001], 0);
}

TEST(ReportPage, HoldsNoTagOfAName) {
  const std::string page = report_page(
      {.title = "<b>&\"",
       .tables = {{.file = "</script><script>", .header = {"strategy"}, .rows = {{"<!--"}}}}});
  EXPECT_EQ(page.find("</script><script>"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;b&gt;&amp;&quot;</title>"), std::string::npos);
  EXPECT_EQ(page.find("\"<!--\""), std::string::npos);
}

}  // namespace
}  // namespace damocles
