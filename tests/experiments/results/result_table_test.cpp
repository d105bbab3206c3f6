// What tables of results show, in which order, and what stands above and below them.

#include "experiments/results/result_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/error_text.hpp"

namespace damocles::result_table_test {
namespace {

/// A simulated run in 10 s where the lower bounds are 8 s and 50 loads.
Record run_of(const std::string& strategy, double makespan_s, double loads) {
  Record record;
  record.source = "simulated";
  record.strategy = strategy;
  record.tasks = 4;
  record.data = 3;
  record.processors = 2;
  record.makespan_s = makespan_s;
  record.makespan_lower_bound_s = 8;
  record.makespan_ratio = makespan_s / 8;
  record.loads = loads;
  record.lower_bound = 50;
  record.volume_ratio = loads / 50;
  record.status = {Status::Kind::ok};
  return record;
}

/// The same where nothing takes time.
Record untimed(const std::string& strategy, double loads) {
  Record record = run_of(strategy, 1, loads);
  record.makespan_lower_bound_s.reset();
  record.makespan_ratio.reset();
  return record;
}

TEST(ResultTable, PutsTheFastestFirstWhereMemoryIsLimited) {
  const TableChoice choice;
  EXPECT_EQ(table_text(result_table({run_of("eager", 20, 60), run_of("darts", 10, 100)}, choice),
                       choice, {}),
            "4 tasks, 3 data items, 2 processors; lower bounds: 50 loads, 8 s\n"
            "fastest first\n\n"
            "strategy  makespan_s  makespan_ratio  loads  volume_ratio\n"
            "darts             10            1.25    100             2\n"
            "eager             20             2.5     60           1.2\n\n"
            "best: darts, 25.0 % above the lower bound on time; eager takes 2 times as long\n");
}

TEST(ResultTable, PutsTheFewestLoadsFirstWhereNothingTakesTime) {
  const TableChoice choice;
  EXPECT_EQ(table_text(result_table({untimed("random", 150), untimed("sorted", 120)}, choice),
                       choice, {}),
            "4 tasks, 3 data items, 2 processors; lower bound: 50 loads\n"
            "fewest loads first\n\n"
            "strategy  loads  volume_ratio\n"
            "sorted      120           2.4\n"
            "random      150             3\n\n"
            "best: sorted, 2.4 times the lower bound; random loads 1.25 times as much\n");
}

TEST(ResultTable, TellsTheBoundThatRatiosAreOf) {
  Record record = untimed("random", 150);
  record.balanced_bound = 60;
  EXPECT_EQ(heading_of({record}, ""),
            "4 tasks, 3 data items, 2 processors; balanced bound: 60 loads\n\n");
}

TEST(ResultTable, NamesTheGpusWhoseMemoryNobodyGave) {
  Record record = untimed("random", 150);
  const auto heading = [&](const char* platform) {
    record.platform = platform;
    return heading_of({record}, "").substr(0, 72);
  };
  EXPECT_TRUE(
      heading("gpus:k=2")
          .starts_with("4 tasks, 3 data items, 2 V100 of 500 MB (memory= changes it); lower"));
  EXPECT_TRUE(heading("gpus:k=1,preset=h100-pcie,cpus=1")
                  .starts_with("4 tasks, 3 data items, 2 processors: 1 H100-PCIE of 80 GB ("));
  for (const char* const other : {"gpus:k=2,memory=1GB", "homogeneous:p=2", "gpus:k=0,cpus=2",
                                  "gpus:k=2,preset=of-another-version"}) {
    EXPECT_TRUE(heading(other).starts_with("4 tasks, 3 data items, 2 processors; lower")) << other;
  }
}

TEST(ResultTable, ShowsNoBoundOfZero) {
  Record of_cores = run_of("eager", 10, 5);
  of_cores.lower_bound = 0;
  of_cores.volume_ratio.reset();
  EXPECT_EQ(result_table({of_cores}, {}).heading,
            "4 tasks, 3 data items, 2 processors; lower bound: 8 s\n\n");
}

TEST(ResultTable, KeepsABoundThatDiffersAsAColumn) {
  Record other = run_of("darts", 10, 60);
  other.lower_bound = 40;
  const ResultTable table = result_table({run_of("eager", 20, 60), other}, {});
  EXPECT_EQ(table.heading.find("50 loads"), std::string::npos);
  EXPECT_NE(std::find(table.cells[0].begin(), table.cells[0].end(), "lower_bound"),
            table.cells[0].end());
}

TEST(ResultTable, FoldsStrategiesThatHardlyDiffer) {
  const ResultTable table =
      result_table({run_of("a", 10, 60), run_of("lws", 10.0005, 60), run_of("c", 10.002, 60)},
                   {.fold = true, .usual = {"lws"}});
  ASSERT_EQ(table.cells.size(), 3);
  EXPECT_EQ(table.cells[1][0], "lws (+1)");
  EXPECT_EQ(table.cells[2][0], "c");
  EXPECT_EQ(table.closing,
            "best: lws (+1), 25.0 % above the lower bound on time\n"
            "lws (+1): also a\n");
}

TEST(ResultTable, NamesAllOfTheBest) {
  EXPECT_EQ(best_line({run_of("a", 8, 1), run_of("b", 8, 1)}, "makespan_s"),
            "best: a and b, at the lower bound on time\n");
  EXPECT_EQ(best_line({run_of("a", 8, 1), run_of("b", 8, 1), run_of("c", 8, 1)}, "makespan_s"),
            "best: a and 2 more, at the lower bound on time\n");
  EXPECT_EQ(best_line({run_of("a", 8, 1)}, "makespan_s"), "");
  const std::vector<Record> with_default{run_of("a", 8, 1), run_of("lws", 16, 1)};
  EXPECT_EQ(best_line(with_default, "makespan_s"),
            "best: a, at the lower bound on time; lws takes 2 times as long\n");
  EXPECT_EQ(best_line(with_default, "makespan_s", 1), "best: a, at the lower bound on time\n");
  EXPECT_EQ(best_line({run_of("a (+1)", 8, 1)}, "makespan_s"),
            "best: a (+1), at the lower bound on time\n");
}

/// A strategy that is named beside the best has a row.
TEST(ResultTable, NamesNoneBesideTheBestThatItDoesNotShow) {
  const std::vector<Record> ran{run_of("a", 8, 1), run_of("b", 8, 1), run_of("c", 12, 1),
                                run_of("eager", 16, 1), run_of("lws", 16, 1)};
  const auto closing = [&](const TableChoice& choice) {
    const std::string text = result_table(ran, choice).closing;
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(closing({}), "best: a and b, at the lower bound on time; lws takes 2 times as long");
  EXPECT_EQ(closing({.top = 1}), "best: a and 1 more, at the lower bound on time");
  EXPECT_EQ(closing({.top = 4}),
            "best: a and b, at the lower bound on time; eager takes 2 times as long");
  EXPECT_EQ(closing({.fold = true}),
            "best: a (+1), at the lower bound on time; eager takes 2 times as long");
}

TEST(ResultTable, PutsFailedRunsLast) {
  Record failed = run_of("broken", 1, 1);
  failed.status = {Status::Kind::failed, "why"};
  const ResultTable table = result_table({failed, run_of("eager", 20, 60)}, {});
  EXPECT_EQ(table.cells[1][0], "eager");
  EXPECT_EQ(table.cells[2].back(), "failed: why");
}

TEST(ResultTable, ShowsWhatIsAskedFor) {
  const std::vector<Record> rows{run_of("a", 10, 60), run_of("b", 20, 40), run_of("c", 30, 50)};
  TableChoice choice{.sort = "loads", .top = 2, .columns = {"loads", "strategy"}};
  const ResultTable table = result_table(rows, choice);
  EXPECT_EQ(table.cells, (std::vector<std::vector<std::string>>{
                             {"loads", "strategy"}, {"40", "b"}, {"50", "c"}}));
  EXPECT_EQ(table.closing, "the first 2 of 3 rows (--top)\n");
}

TEST(ResultTable, RefusesColumnsThatItDoesNotHave) {
  const auto refusal = [](const TableChoice& choice) {
    return error_text([&] { check_columns(choice); });
  };
  EXPECT_NE(refusal({.sort = "makespan"}).find("did you mean"), std::string::npos);
  EXPECT_EQ(refusal({.sort = "strategy"}),
            "--sort strategy: this column holds words; give one of numbers, as makespan_s");
  EXPECT_NE(refusal({.columns = {"strategy", "lods"}}).find("'lods'"), std::string::npos);
}

TEST(ResultTable, NamesTheColumnsThatDoNotFit) {
  Record row = run_of("darts", 10, 60);
  row.eviction = "luf";
  row.gflops = 12.5;
  const ResultTable table = result_table({row}, {});
  EXPECT_NE(table_text(table, {}, {.width = 60}).find("--wide also shows eviction"),
            std::string::npos);
  EXPECT_EQ(table_text(table, {.wide = true}, {.width = 0}).find("--wide"), std::string::npos);
}

}  // namespace
}  // namespace damocles::result_table_test
