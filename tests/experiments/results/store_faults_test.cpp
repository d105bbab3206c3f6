// Faults by seed: a study in a store goes on to the same rows wherever the disk failed, a rank that
// makes its rows was lost, or it died.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/csv_rows.hpp"
#include "experiments/results/stored_rows.hpp"
#include "tests/experiments/cluster/fake_cluster.hpp"
#include "tests/experiments/folder.hpp"
#include "tests/experiments/results/faulty_disk.hpp"

namespace damocles::store_faults_test {
namespace {

using Fault = FaultyDisk::Fault;

constexpr std::size_t rows_of_study = 24;
constexpr std::size_t rows_of_round = 4;

/// DAMOCLES_FAULTS=1000000 tries more, DAMOCLES_FAULT_SEED=17 one again.
std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

std::vector<Job> study_jobs() {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < rows_of_study; ++i) {
    Record row;
    row.source = "simulated";
    row.strategy = i % 2 == 0 ? "eager" : "darts";
    row.workload = "a workload with a name of some length, so that rows fill pages";
    row.replicate = i / 2;
    row.loads = static_cast<double>(i) / 7;
    row.status = {Status::Kind::ok};
    jobs.push_back({.key = key(row), .run = [row] { return row; }});
  }
  return jobs;
}

/// Round by round, so that there are several transactions.
std::vector<bool> asked_in_rounds(const std::vector<Job>& jobs, const RowsByKey& rows) {
  std::size_t there = 0;
  while (there < jobs.size() && rows.contains(jobs[there].key)) ++there;
  std::vector<bool> asked(jobs.size(), false);
  const std::size_t end =
      std::min(jobs.size(), there / rows_of_round * rows_of_round + rows_of_round);
  std::fill(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(end), true);
  return asked;
}

std::vector<Record> run_one_by_one(const std::vector<Job>& jobs, const Finished& finished) {
  std::vector<Record> records;
  for (const Job& job : jobs) {
    records.push_back(job.run());
    finished(records.back(), 0);
  }
  return records;
}

/// On ranks of an MPI job, which are slow, silent or lost as the seed says.
std::vector<Record> run_on_ranks(std::uint64_t seed, const std::vector<Job>& jobs,
                                 const Finished& finished) {
  std::vector<RowToDeal> rows;
  for (const Job& job : jobs) {
    rows.push_back({.number = rows.size(), .method = job.method, .tasks = job.tasks});
  }
  std::vector<Record> records(jobs.size());
  const auto made = [&](std::size_t row, Record record, double seconds) {
    records[row] = std::move(record);
    finished(records[row], seconds);
  };
  FakeCluster(
      seed, std::move(rows), [&](std::size_t row) { return jobs[row].run(); }, made)
      .run();
  return records;
}

/// Where a study keeps its rows: in a store, or in a CSV file, which has one until it is whole.
struct Kept {
  std::function<void(const std::vector<Job>&, std::uint64_t seed)> run;
  std::function<RowsByKey(const std::vector<Job>&)> rows;
};

Kept in_store(const std::filesystem::path& file, bool on_ranks = false) {
  return {.run =
              [file, on_ranks](const std::vector<Job>& jobs, std::uint64_t seed) {
                const auto run_rows = [&](const std::vector<Job>& some, const Finished& finished) {
                  return on_ranks ? run_on_ranks(seed, some, finished)
                                  : run_one_by_one(some, finished);
                };
                (void)run_into_store(
                    file, study_of("sweep", "1"), jobs, run_rows,
                    [&](const RowsByKey& rows) { return asked_in_rounds(jobs, rows); });
              },
          .rows = [file](const std::vector<Job>& jobs) { return rows_in_store(file, jobs); }};
}

Kept in_csv(const std::filesystem::path& file) {
  return {.run =
              [file](const std::vector<Job>& jobs, std::uint64_t) {
                (void)run_into_csv(
                    file, study_of("sweep", "1"), jobs, run_one_by_one,
                    [&](const RowsByKey& rows) { return asked_in_rounds(jobs, rows); },
                    UnmatchedRows::refused);
              },
          .rows =
              [file](const std::vector<Job>& jobs) {
                return rows_in_csv(file, jobs, all_of(jobs), UnmatchedRows::refused);
              }};
}

std::string exported(const std::filesystem::path& file) {
  ResultStore store(file, ResultStore::Use::read);
  std::vector<Record> records;
  store.each_row([&](const Record& record) { records.push_back(record); });
  return to_csv(records);
}

/// A study that fails as the seed says, up to three times, and then goes on to its end.
class FailingStudy {
 public:
  FailingStudy(const Kept& kept, const std::vector<Job>& jobs, int changes)
      : kept_(kept), jobs_(jobs), changes_(changes) {}

  void run(std::uint64_t seed) {
    std::mt19937_64 dice(seed);
    const auto fails = 1 + dice() % 3;
    for (std::uint64_t i = 0; i < fails; ++i) fail_once(dice);
    FaultyDisk::fail_at(0, Fault::none);
    kept_.run(jobs_, dice());
  }
  [[nodiscard]] int faults() const { return faults_; }

 private:
  void fail_once(std::mt19937_64& dice) {
    constexpr std::array<Fault, 4> kinds{Fault::full, Fault::broken, Fault::short_write,
                                         Fault::killed};
    const Fault fault = kinds.at(dice() % kinds.size());
    auto jobs = jobs_;
    // Some end by themselves, as by an interrupt, between any two rows.
    if (dice() % 4 == 0) {
      jobs[dice() % jobs.size()].run = []() -> Record { throw std::runtime_error("it ends here"); };
    }
    FaultyDisk::fail_at(1 + static_cast<int>(dice() % static_cast<std::uint64_t>(changes_)), fault);
    try {
      kept_.run(jobs, dice());
    } catch (const std::runtime_error&) {
      ++faults_;
    }
    FaultyDisk::fail_at(0, Fault::none);
    expect_no_row_lost();
  }
  /// What was there stays there.
  void expect_no_row_lost() {
    const auto now = kept_.rows(jobs_);
    for (const std::string& row_key : there_) EXPECT_TRUE(now.contains(row_key));
    there_.clear();
    for (const auto& [row_key, row] : now) there_.push_back(row_key);
  }

  const Kept& kept_;
  const std::vector<Job>& jobs_;
  int changes_;
  int faults_ = 0;
  std::vector<std::string> there_;
};

/// Runs a study under many seeds. @param usual_seeds  how many, where nobody asks for others
void expect_the_same_rows_under_faults(const Kept& kept, const std::function<std::string()>& result,
                                       const Folder& folder, std::uint64_t usual_seeds) {
  const FaultyDisk disk;
  const auto jobs = study_jobs();
  kept.run(jobs, 0);
  const int changes = FaultyDisk::changes();
  ASSERT_GT(changes, 50);
  const std::string expected = result();
  const auto remove_all = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder / "")) {
      std::filesystem::remove(entry);
    }
  };
  remove_all();
  int faults = 0;
  const std::uint64_t first = number_from("DAMOCLES_FAULT_SEED", 1);
  const std::uint64_t seeds = number_from("DAMOCLES_FAULTS", first == 1 ? usual_seeds : 1);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("DAMOCLES_FAULT_SEED=" + std::to_string(seed));
    FailingStudy study(kept, jobs, changes);
    study.run(seed);
    ASSERT_EQ(result(), expected);
    ASSERT_FALSE(testing::Test::HasFailure());
    faults += study.faults();
    remove_all();
  }
  EXPECT_GE(faults, static_cast<int>(seeds) / 2);
}

TEST(StoreFaults, NeverLoseDoubleOrChangeARow) {
  const Folder folder;
  const auto file = folder / "s.db";
  expect_the_same_rows_under_faults(
      in_store(file), [&] { return exported(file); }, folder, 1000);
}

TEST(StoreFaults, NeverLoseDoubleOrChangeARowThatRanksMake) {
  const Folder folder;
  const auto file = folder / "s.db";
  expect_the_same_rows_under_faults(
      in_store(file, true), [&] { return exported(file); }, folder, 1000);
}

TEST(StoreFaults, NeverLoseDoubleOrChangeARowOfACsvFile) {
  const Folder folder;
  const auto file = folder / "s.csv";
  expect_the_same_rows_under_faults(
      in_csv(file),
      [&] {
        EXPECT_FALSE(std::filesystem::exists(partial_of(file)));
        return content(file);
      },
      folder, 300);
}

}  // namespace
}  // namespace damocles::store_faults_test
