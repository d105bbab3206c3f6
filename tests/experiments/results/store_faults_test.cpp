// Faults by seed: a study in a store goes on to the same rows wherever the disk failed or it died.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/stored_rows.hpp"
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

void run_study(const std::filesystem::path& file, const std::vector<Job>& jobs) {
  (void)run_into_store(file, study_of("sweep", "1"), jobs, run_one_by_one,
                       [&](const RowsByKey& rows) { return asked_in_rounds(jobs, rows); });
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
  FailingStudy(const std::filesystem::path& file, const std::vector<Job>& jobs, int changes)
      : file_(file), jobs_(jobs), changes_(changes) {}

  void run(std::uint64_t seed) {
    std::mt19937_64 dice(seed);
    const auto fails = 1 + dice() % 3;
    for (std::uint64_t i = 0; i < fails; ++i) fail_once(dice);
    FaultyDisk::fail_at(0, Fault::none);
    run_study(file_, jobs_);
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
      run_study(file_, jobs);
    } catch (const std::runtime_error&) {
      ++faults_;
    }
    FaultyDisk::fail_at(0, Fault::none);
    expect_no_row_lost();
  }
  /// What was there stays there.
  void expect_no_row_lost() {
    const auto now = rows_in_store(file_, jobs_);
    for (const std::string& row_key : there_) EXPECT_TRUE(now.contains(row_key));
    there_.clear();
    for (const auto& [row_key, row] : now) there_.push_back(row_key);
  }

  const std::filesystem::path& file_;
  const std::vector<Job>& jobs_;
  int changes_;
  int faults_ = 0;
  std::vector<std::string> there_;
};

TEST(StoreFaults, NeverLoseDoubleOrChangeARow) {
  const Folder folder;
  const FaultyDisk disk;
  const auto jobs = study_jobs();
  const auto whole = folder / "whole.db";
  run_study(whole, jobs);
  const int changes = FaultyDisk::changes();
  ASSERT_GT(changes, 50);
  const std::string expected = exported(whole);
  const auto file = folder / "s.db";
  int faults = 0;
  const std::uint64_t first = number_from("DAMOCLES_FAULT_SEED", 1);
  const std::uint64_t seeds = number_from("DAMOCLES_FAULTS", first == 1 ? 1000 : 1);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("DAMOCLES_FAULT_SEED=" + std::to_string(seed));
    FailingStudy study(file, jobs, changes);
    study.run(seed);
    ASSERT_EQ(exported(file), expected);
    ASSERT_FALSE(testing::Test::HasFailure());
    faults += study.faults();
    for (const char* const name : {"s.db", "s.db-wal", "s.db-shm", "s.db-journal"}) {
      std::filesystem::remove(folder / name);
    }
  }
  EXPECT_GE(faults, static_cast<int>(seeds) / 2);
}

}  // namespace
}  // namespace damocles::store_faults_test
