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
  (void)run_into_store(folder / "s.db", study_of("some", "1"), some, 1);
  std::atomic<int> runs = 0;

  const Ledger ledger =
      run_into_store(folder / "s.db", study_of("all", "1"), counted_jobs(all, runs), 2);

  EXPECT_EQ(runs, 4);
  EXPECT_EQ(ledger.counts.text("s.db"), "6 rows in s.db: 2 kept, 4 new");
  EXPECT_EQ(to_csv(ledger.records), to_csv(run_jobs(all, 1)));
}

TEST(RunIntoStore, GoesOnToTheOrderOfTheJobs) {
  const Folder folder;
  const auto all = jobs(asked("gpus:k=1,memory=6data"));
  auto failing = all;
  failing[3].run = []() -> Record { throw std::runtime_error("the power fails"); };
  EXPECT_THROW((void)run_into_store(folder / "s.db", study_of("all", "1"), failing, 1),
               std::runtime_error);
  EXPECT_EQ(rows_in_store(folder / "s.db", all),
            (std::vector<bool>{true, true, true, false, false, false}));

  (void)run_into_store(folder / "s.db", study_of("all", "1"), all, 2);

  EXPECT_EQ(stored(folder / "s.db"), to_csv(run_jobs(all, 1)));
  EXPECT_EQ(ResultStore(folder / "s.db", ResultStore::Use::read).studies().size(), 1U);
}

TEST(RunIntoStore, LeavesRowsOfOthersAlone) {
  const Folder folder;
  const auto first = jobs(asked("gpus:k=1,memory=6data"));
  const auto second = jobs(asked("gpus:k=1,memory=7data"));
  (void)run_into_store(folder / "s.db", study_of("first", "1"), first, 2);
  (void)run_into_store(folder / "s.db", study_of("second", "1"), second, 2);

  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(stored(folder / "s.db"), to_csv(run_jobs(both, 1)));
}

TEST(RunIntoStore, AsksAgainWhatHasNoResultWhereThatEndsACommand) {
  const Folder folder;
  auto experiment = asked("gpus:k=1,memory=1data");  // a task reads two
  const auto all = jobs(experiment);
  const Ledger ledger = run_into_store(folder / "s.db", study_of("sweep", "1"), all, 1);
  EXPECT_EQ(ledger.counts.infeasible, 6U);

  EXPECT_EQ(run_into_store(folder / "s.db", study_of("sweep", "1"), all, 1).counts.kept, 6U);
  experiment.keep_infeasible = false;
  EXPECT_THROW((void)run_into_store(folder / "s.db", study_of("simulate", "1"), jobs(experiment), 1,
                                    {}, Taken::with_result),
               Infeasible);
}

TEST(RowsInStore, MakesNoFile) {
  const Folder folder;
  const auto all = jobs(asked("gpus:k=1,memory=6data"));
  EXPECT_EQ(rows_in_store(folder / "s.db", all), std::vector<bool>(6, false));
  EXPECT_FALSE(std::filesystem::exists(folder / "s.db"));
}

}  // namespace
}  // namespace damocles::stored_rows_test
