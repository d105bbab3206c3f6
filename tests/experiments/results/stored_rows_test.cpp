#include "experiments/results/stored_rows.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "models/error.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::stored_rows_test {
namespace {

Experiment asked(const char* platform) {
  return {.workload = Workload::parse("gemm2d:n=4"),
          .scenario = Scenario::parse(platform),
          .strategies = {"eager", "darts"},
          .replicates = 3,
          .keep_infeasible = true};
}

/// The same jobs; each run is counted.
std::vector<Job> counted_jobs(std::vector<Job> jobs, std::atomic<int>& runs) {
  for (Job& job : jobs) {
    job.run = [&runs, run = job.run] {
      ++runs;
      return run();
    };
  }
  return jobs;
}

StudyRows run_all(const std::filesystem::path& file, const std::vector<Job>& jobs, int threads,
                  Taken taken = Taken::all) {
  return run_into_store(file, study_of("all", "1"), jobs, runner_on_threads(threads), all_of(jobs),
                        taken);
}

std::vector<bool> are_in_store(const std::filesystem::path& file, const std::vector<Job>& jobs) {
  const RowsByKey rows = rows_in_store(file, jobs);
  std::vector<bool> there;
  for (const Job& job : jobs) there.push_back(rows.contains(job.key));
  return there;
}

std::string stored(const std::filesystem::path& file) {
  ResultStore store(file, ResultStore::Use::read);
  std::vector<Record> records;
  store.each_row([&](const Record& record) { records.push_back(record); });
  return to_csv(records);
}

TEST(RunIntoStore, RunsOnlyWhatIsMissing) {
  const Folder folder;
  const auto all = jobs(asked("gpus:k=1,memory=6data"));
  const std::vector<Job> some{all[4], all[1]};
  (void)run_all(folder / "s.db", some, 1);
  std::atomic<int> runs = 0;

  const StudyRows rows = run_all(folder / "s.db", counted_jobs(all, runs), 2);

  EXPECT_EQ(runs, 4);
  EXPECT_EQ(rows.counts.text("s.db"), "6 rows in s.db: 2 kept, 4 new");
  EXPECT_EQ(to_csv(rows.records), to_csv(run_jobs(all, 1)));
}

TEST(RunIntoStore, GoesOnToTheOrderOfTheJobs) {
  const Folder folder;
  const auto all = jobs(asked("gpus:k=1,memory=6data"));
  auto failing = all;
  failing[3].run = []() -> Record { throw std::runtime_error("the power fails"); };
  EXPECT_THROW((void)run_all(folder / "s.db", failing, 1), std::runtime_error);
  EXPECT_EQ(are_in_store(folder / "s.db", all),
            (std::vector<bool>{true, true, true, false, false, false}));

  (void)run_all(folder / "s.db", all, 2);

  EXPECT_EQ(stored(folder / "s.db"), to_csv(run_jobs(all, 1)));
  EXPECT_EQ(ResultStore(folder / "s.db", ResultStore::Use::read).studies().size(), 1U);
}

TEST(RunIntoStore, LeavesRowsOfOthersAlone) {
  const Folder folder;
  const auto first = jobs(asked("gpus:k=1,memory=6data"));
  const auto second = jobs(asked("gpus:k=1,memory=7data"));
  (void)run_all(folder / "s.db", first, 2);
  (void)run_all(folder / "s.db", second, 2);

  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(stored(folder / "s.db"), to_csv(run_jobs(both, 1)));
}

TEST(RunIntoStore, AsksAgainWhatHasNoResultWhereThatEndsACommand) {
  const Folder folder;
  auto experiment = asked("gpus:k=1,memory=1data");  // a task reads two
  const auto all = jobs(experiment);
  const StudyRows rows = run_all(folder / "s.db", all, 1);
  EXPECT_EQ(rows.counts.infeasible, 6U);

  EXPECT_EQ(run_all(folder / "s.db", all, 1).counts.kept, 6U);
  experiment.keep_infeasible = false;
  EXPECT_THROW((void)run_all(folder / "s.db", jobs(experiment), 1, Taken::with_result), Infeasible);
}

TEST(RowsInStore, MakesNoFile) {
  const Folder folder;
  const auto all = jobs(asked("gpus:k=1,memory=6data"));
  EXPECT_TRUE(rows_in_store(folder / "s.db", all).empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "s.db"));
}

}  // namespace
}  // namespace damocles::stored_rows_test
