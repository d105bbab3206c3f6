#include "experiments/studies/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "experiments/studies/summary.hpp"
#include "models/error.hpp"
#include "strategies/registry.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::study_test {
namespace {

Experiment small_experiment() {
  return {.workload = Workload::parse("outer:n=12"),
          .scenario = Scenario::parse("uniform:p=3,lo=10,hi=100"),
          .strategies = {"random", "dynamic-2phases"},
          .models = {"refined"},
          .replicates = 6};
}

std::string csv(const std::vector<Record>& records) { return to_csv(records); }

TEST(AllStrategies, LeavesOutWhatNeedsALibraryThatIsNotBuilt) {
  const auto machine = Scenario::parse("gpus:k=2,memory=4data").machine();

  const auto all = AllStrategies::on(Workload::parse("gemm2d:n=4"), machine);

  for (const auto& entry : strategies()) {
    if (why_not_built(entry).empty()) continue;
    EXPECT_EQ(std::count(all.chosen.begin(), all.chosen.end(), entry.name), 0) << entry.name;
    EXPECT_NE(all.text_of_left_out().find(entry.name), std::string::npos) << entry.name;
  }
}

TEST(LowerBound, IsBelowEveryRunOfEveryStrategyWhereMemoryIsUnlimited) {
  std::size_t unbalanced = 0;
  for (const char* workload : {"outer:n=2", "outer:n=7", "matrix:n=3", "gemm2d:n=5",
                               "cholesky:n=4,deps=false", "gemm3d:n=3,c=later"}) {
    for (const char* platform :
         {"homogeneous:p=1", "homogeneous:p=100", "speeds:1,1000", "uniform:p=6,lo=1,hi=1000"}) {
      Experiment experiment{.workload = Workload::parse(workload),
                            .scenario = Scenario::parse(platform),
                            .replicates = 1};
      experiment.strategies = choose_strategies("all", experiment.workload, std::nullopt);
      for (const Record& row : run_jobs(jobs(experiment), 1)) {
        SCOPED_TRACE(csv_line(row, Group::summary));
        ASSERT_EQ(row.status, Status{Status::Kind::ok});
        EXPECT_GE(*row.loads, *row.lower_bound);
        EXPECT_EQ(row.balanced_bound.has_value(), experiment.workload.is_grid());
        EXPECT_EQ(row.volume_ratio, *row.loads / row.balanced_bound.value_or(*row.lower_bound));
        unbalanced += *row.loads < row.balanced_bound.value_or(0) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(unbalanced, 20U);  // the papers' bound is none on such runs
}

TEST(LowerBound, OfTwoByTwoTasksOnHundredProcessorsIsFourDataItems) {
  Experiment experiment{.workload = Workload::parse("outer:n=2"),
                        .scenario = Scenario::parse("homogeneous:p=100"),
                        .strategies = {"random"},
                        .replicates = 1};

  const Record row = run_jobs(jobs(experiment), 1).front();

  EXPECT_EQ(row.loads, 8);  // four tasks on four processors, each with two inputs
  EXPECT_EQ(row.lower_bound, 4);
  // 2n sum sqrt(1 / p), a sum of 100 rounded terms.
  EXPECT_NEAR(*row.balanced_bound, 2 * 2 * 100 * std::sqrt(0.01), 1e-12);
}

TEST(RunJobs, GivesTheSameRowsOnAnyNumberOfThreads) {
  const auto all = jobs(small_experiment());

  const auto alone = csv(run_jobs(all, 1));

  EXPECT_EQ(csv(run_jobs(all, 4)), alone);
}

TEST(RunJobs, NamesWhatWasInTheFilesOfTimes) {
  const Folder folder;
  const std::string path = folder / "gemm.perfmodel";
  std::filesystem::copy_file(DAMOCLES_SOURCE "/docs/examples/gemm.perfmodel", path);
  const auto inputs = [&] {
    const Experiment timed{.workload = Workload::parse("cholesky:n=3,tile=960,deps=true"),
                           .scenario = Scenario::parse("gpus:k=2,times=GEMM:cuda@" + path),
                           .strategies = {"dmdas"},
                           .replicates = 1};
    return run_jobs(jobs(timed), 1).front().inputs;
  };
  EXPECT_EQ(inputs(), "times=" + digest_of_file(path));
  const std::string before = inputs();
  std::ofstream(path, std::ios::app) << "# edited\n";
  EXPECT_NE(inputs(), before);
}

/// Of the strategy that reads one, and of no other.
TEST(RunJobs, NamesWhatWasInAPlacement) {
  const Folder folder;
  const std::string path = folder / "placement.json";
  std::ofstream(path) << R"({"damocles_placement": 1, "groups": [{"tasks": [0, 1, 2, 3]}]})";
  const Experiment experiment{.workload = Workload::parse("gemm2d:n=2"),
                              .scenario = Scenario::parse("gpus:k=2"),
                              .strategies = {"placed:placement=" + path, "eager"},
                              .replicates = 1};
  const auto before = run_jobs(jobs(experiment), 1);
  EXPECT_EQ(before[0].inputs, "placement=" + digest_of_file(path));
  EXPECT_EQ(before[1].inputs, "");
  const std::string key = jobs(experiment)[0].key;
  std::ofstream(path, std::ios::app) << " ";
  EXPECT_NE(jobs(experiment)[0].key, key);
}

TEST(RunJobs, TellsTheEnergyWhereThePlatformSaysWhatItsProcessorsDraw) {
  const auto rows = [](const char* platform) {
    const Experiment experiment{.workload = Workload::parse("gemm2d:n=4"),
                                .scenario = Scenario::parse(platform),
                                .strategies = {"eager"},
                                .replicates = 1};
    return run_jobs(jobs(experiment), 1);
  };
  const auto drawing = rows("gpus:k=2,power=300W");
  const double busy_s = *drawing[0].busy_fraction * 2 * *drawing[0].makespan_s;
  EXPECT_NEAR(drawing[0].energy_j.value(), 300 * busy_s, 1e-9 * 300 * busy_s);
  EXPECT_NE(csv(drawing).find(",energy_j\n"), std::string::npos);
  const auto other = rows("gpus:k=2");
  EXPECT_FALSE(other[0].energy_j.has_value());
  EXPECT_EQ(csv(other).find("energy_j"), std::string::npos);
}

TEST(RunJobs, TellsTheBoundOnTheMakespanWhereMemoryIsLimited) {
  const Experiment limited{.workload = Workload::parse("gemm2d:n=6"),
                           .scenario = Scenario::parse("gpus:k=2,memory=6data"),
                           .strategies = {"eager", "darts"}};
  for (const Record& row : run_jobs(jobs(limited), 1)) {
    ASSERT_TRUE(row.makespan_lower_bound_s && row.makespan_ratio) << row.strategy;
    EXPECT_GE(*row.makespan_ratio, 1);
    EXPECT_EQ(*row.makespan_ratio, *row.makespan_s / *row.makespan_lower_bound_s);
  }
  for (const Record& row : run_jobs(jobs(small_experiment()), 1)) {
    EXPECT_FALSE(row.makespan_lower_bound_s || row.makespan_ratio) << row.strategy;
  }
}

TEST(RunJobs, ReportsEveryRowOnce) {
  const auto all = jobs(small_experiment());
  std::multiset<std::string> reported;

  const auto records =
      run_jobs(all, 4, {}, [&](const Record& record, double) { reported.insert(key(record)); });

  EXPECT_EQ(reported.size(), all.size());
  for (const auto& job : all) EXPECT_EQ(reported.count(job.key), 1U);
  EXPECT_EQ(records.size(), all.size());
}

TEST(Output, ReadsBackWhatItWrote) {
  const Folder folder;
  auto records = run_jobs(jobs(small_experiment()), 2);
  records[0].platform = "speeds:1,2";  // needs quotes
  records[0].status = {Status::Kind::other, "a \"quoted\" word"};
  write_output(folder / "rows.csv", to_csv(records));

  EXPECT_EQ(to_csv(read_csv(folder / "rows.csv")), to_csv(records));
}

TEST(Summary, HasMeanDeviationAndInterval) {
  std::vector<Record> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].source = "simulated";
    rows[i].volume_ratio = 1.0 + static_cast<double>(i);  // 1, 2, 3
  }

  const auto summary = summarise(rows);

  // Mean 2, sample deviation 1; t(0.975, 2 degrees) = 4.302653, over sqrt(3).
  ASSERT_EQ(summary.size(), 1U);
  EXPECT_EQ(summary[0].n, 3U);
  EXPECT_DOUBLE_EQ(*summary[0].mean, 2);
  EXPECT_DOUBLE_EQ(*summary[0].sd, 1);
  EXPECT_NEAR(*summary[0].ci95, 2.484138, 1e-6);
}

TEST(Summary, RoundsTheMeansOfCounts) {
  std::vector<Record> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].tasks = 36;
    rows[i].seed = i;
    rows[i].replicate = i;
    rows[i].evictions = 24 - 5 * i;         // 24, 19, 14
    rows[i].bytes_written = 7 + 2 * i * i;  // 7, 9, 15
    if (i > 0) rows[i].loads_from_peers = i;
  }

  const auto summary = summarise(rows);

  ASSERT_EQ(summary.size(), 1U);
  EXPECT_EQ(summary[0].tasks, 36U);
  EXPECT_EQ(summary[0].evictions, 19U);
  EXPECT_EQ(summary[0].bytes_written, 10U);   // of 10 1/3
  EXPECT_FALSE(summary[0].loads_from_peers);  // the first does not say
  EXPECT_FALSE(summary[0].seed || summary[0].replicate);
}

/// Predictions know the spread within a platform; replicates draw several.
TEST(Summary, OfPredictionsAddsTheSpreadBetweenPlatforms) {
  std::vector<Record> rows(4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].source = "predicted";
    rows[i].volume_ratio = i < 2 ? 1 : 3;
    rows[i].sd = i % 2 == 0 ? 0.5 : 1.5;
  }

  const auto summary = summarise(rows);

  // Variance 1 between them, (0.25 + 2.25) / 2 within.
  ASSERT_EQ(summary.size(), 1U);
  EXPECT_EQ(summary[0].n, 4U);
  EXPECT_DOUBLE_EQ(*summary[0].mean, 2);
  EXPECT_DOUBLE_EQ(*summary[0].sd, 1.5);
  EXPECT_FALSE(summary[0].ci95);
}

TEST(Summary, OfOneRunHasNoSpread) {
  std::vector<Record> rows(1);
  rows[0].source = "simulated";
  rows[0].volume_ratio = 1.5;

  const auto summary = summarise(rows);

  EXPECT_EQ(*summary[0].mean, 1.5);
  EXPECT_FALSE(summary[0].sd || summary[0].ci95);
}

/// Of all, where there are cores, those that support heterogeneous platforms; one that does not is
/// refused where it is named, when it is to run.
TEST(ChooseStrategies, LeavesOutThoseThatDoNotTellKindsApart) {
  const Workload workload = Workload::parse("cholesky:n=3,deps=true");
  const auto all = [&](const std::string& platform) {
    return choose_strategies("all", workload, Scenario::parse(platform).machine());
  };
  std::vector<std::string> telling;
  for (const auto& entry : strategies()) {
    if (entry.heterogeneous && !entry.reads_placement) telling.push_back(entry.name);
  }
  EXPECT_EQ(std::count(telling.begin(), telling.end(), "heft"), 1);
  EXPECT_EQ(std::count(telling.begin(), telling.end(), "darts"), 0);
  EXPECT_EQ(all("gpus:k=1,cpus=1,cpu_gflops=1"), telling);
  EXPECT_EQ(all("gpus:k=0,cpus=1,cpu_gflops=1,cpu_times=POTRF:1ms"), telling);
  EXPECT_GT(all("gpus:k=2,times=POTRF:1ms").size(), telling.size());
}

TEST(ChooseStrategies, MeansEveryOneDefinedOnTheWorkload) {
  const auto outer = choose_strategies("all", Workload::parse("outer:n=4"));
  const auto matrix = choose_strategies("all", Workload::parse("matrix:n=4"));

  EXPECT_EQ(outer.size(), matrix.size() + 1);  // static-columns, static-nrrp; static-cuboids
  EXPECT_THROW((void)choose_strategies("static-columns", Workload::parse("matrix:n=4")),
               InvalidInput);
}

/// Else whoever takes the first of them would take nothing.
TEST(ChooseStrategies, RefusesAllWhereItHasNone) {
  const Workload ordered = Workload::parse("cholesky:n=3,deps=true");
  const std::string why =
      error_text([&] { (void)choose_strategies("all", ordered, std::nullopt); });

  EXPECT_TRUE(why.starts_with("no strategy supports 'cholesky:n=3,deps=true' here (")) << why;
  EXPECT_TRUE(
      why.ends_with(", 1 needs a file, placement=FILE); give a platform of limited memory, "
                    "as gpus:k=2,memory=500MB"))
      << why;
  EXPECT_NE(why.find(" are made for limited memory, "), std::string::npos);
  EXPECT_NE(why.find(" do not support task dependencies, "), std::string::npos);
  EXPECT_THROW((void)choose_strategies("all", ordered), Infeasible);  // in a sweep a row
}

/// Two of them would be rows that are taken for replicates of their own.
TEST(ChooseStrategies, KeepsOnceWhatIsWrittenTwice) {
  const auto outer = Workload::parse("outer:n=4");
  const std::vector<std::string> kept{"random", "dynamic", "dynamic-2phases:beta=2"};

  EXPECT_EQ(choose_strategies("random,dynamic,random,dynamic-2phases:beta=2,dynamic", outer), kept);
  EXPECT_EQ(choose_models("ode,refined,ode"), (std::vector<std::string>{"ode", "refined"}));
}

}  // namespace
}  // namespace damocles::study_test
