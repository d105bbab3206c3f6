#include "experiments/results/csv_rows.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "experiments/results/csv.hpp"
#include "models/error.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::csv_rows_test {
namespace {

std::vector<Job> study_jobs(const char* workload) {
  return jobs({.workload = Workload::parse(workload),
               .scenario = Scenario::parse("uniform:p=3,lo=10,hi=100"),
               .strategies = {"random", "dynamic-2phases"},
               .models = {"refined"},
               .replicates = 6});
}

StudyRows run_all(const std::filesystem::path& file, const std::vector<Job>& jobs, int threads,
                  UnmatchedRows unmatched = UnmatchedRows::refused) {
  return run_into_csv(file, study_of("sweep", "1"), jobs, runner_on_threads(threads), all_of(jobs),
                      unmatched);
}

/// The same jobs; each run is counted.
std::vector<Job> counted_jobs(std::vector<Job> jobs, std::atomic<std::size_t>& runs) {
  for (Job& job : jobs) {
    job.run = [&runs, run = job.run] {
      ++runs;
      return run();
    };
  }
  return jobs;
}

/// Runs until the sixth row, which ends it.
void run_five(const std::filesystem::path& file, std::vector<Job> jobs) {
  jobs[5].run = []() -> Record { throw std::runtime_error("the power fails"); };
  EXPECT_THROW((void)run_all(file, jobs, 1), std::runtime_error);
}

TEST(RunIntoCsv, RunsOnlyWhatIsMissingAndEndsWithTheSameBytes) {
  const Folder folder;
  const auto all = study_jobs("outer:n=12");
  (void)run_all(folder / "whole.csv", all, 2);
  run_five(folder / "cut.csv", all);
  EXPECT_FALSE(std::filesystem::exists(folder / "cut.csv"));
  std::atomic<std::size_t> runs = 0;

  const StudyRows rows = run_all(folder / "cut.csv", counted_jobs(all, runs), 2);

  EXPECT_EQ(runs, all.size() - 5);
  EXPECT_EQ(rows.counts.kept, 5U);
  EXPECT_EQ(content(folder / "cut.csv"), content(folder / "whole.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "cut.csv.partial"));
}

TEST(RunIntoCsv, TellsWhatItWouldFind) {
  const Folder folder;
  const auto all = study_jobs("outer:n=12");
  run_five(folder / "cut.csv", all);

  const RowsByKey there = rows_in_csv(folder / "cut.csv", all, all_of(all), UnmatchedRows::refused);

  EXPECT_EQ(there.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(there.contains(all[i].key)) << i;
}

TEST(RunIntoCsv, MixesInNoUnfinishedRowsOfAnotherStudy) {
  const Folder folder;
  run_five(folder / "rows.csv", study_jobs("outer:n=13"));
  const auto all = study_jobs("outer:n=12");
  const std::string why = error_text([&] { (void)run_all(folder / "rows.csv", all, 1); });
  EXPECT_NE(why.find("has 5 rows that this does not ask for: 5 of other settings"),
            std::string::npos)
      << why;

  const StudyRows rows = run_all(folder / "rows.csv", all, 1, UnmatchedRows::dropped);

  EXPECT_EQ(rows.counts.dropped, 5U);
  (void)run_all(folder / "whole.csv", all, 1);
  EXPECT_EQ(content(folder / "rows.csv"), content(folder / "whole.csv"));
}

/// As a kill between the two leaves them.
TEST(RunIntoCsv, RemovesUnfinishedRowsOfAFileThatIsWhole) {
  const Folder folder;
  const auto all = study_jobs("outer:n=12");
  run_five(folder / "rows.csv", all);
  (void)run_all(folder / "whole.csv", all, 1);
  std::filesystem::copy(folder / "whole.csv", folder / "rows.csv");
  std::atomic<std::size_t> runs = 0;

  (void)run_all(folder / "rows.csv", counted_jobs(all, runs), 1);

  EXPECT_EQ(runs, 0U);
  EXPECT_EQ(content(folder / "rows.csv"), content(folder / "whole.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "rows.csv.partial"));
}

}  // namespace
}  // namespace damocles::csv_rows_test
