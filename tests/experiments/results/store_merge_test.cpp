#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/store.hpp"
#include "experiments/results/stored_rows.hpp"
#include "experiments/studies/shard.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::store_merge_test {
namespace {

using Paths = std::vector<std::filesystem::path>;

std::vector<Job> jobs_of(const char* workload) {
  return jobs({.workload = Workload::parse(workload),
               .scenario = Scenario::parse("gpus:k=1,memory=6data"),
               .strategies = {"eager", "darts"},
               .replicates = 4,
               .keep_infeasible = true});
}

StoredStudy began(const char* command, const char* second) {
  StoredStudy study = study_of(command, "1");
  study.date = std::string("2026-11-28T10:00:") + second + "Z";
  study.machine = std::string("machine of ") + command;
  return study;
}

void run(const std::filesystem::path& file, const StoredStudy& study, const std::vector<Job>& all,
         const Shard& shard = {}) {
  (void)run_into_store(file, study, all, runner_on_threads(1),
                       [part = shard.of(all.size())](const RowsByKey&) { return part; });
}

std::string rows_of(const std::filesystem::path& file) {
  ResultStore store(file, ResultStore::Use::read);
  std::vector<Record> records;
  store.each_row([&](const Record& record) { records.push_back(record); });
  return to_csv(records);
}

std::uint64_t merge(const std::filesystem::path& target, const Paths& others) {
  return ResultStore(target, ResultStore::Use::write).merge(others);
}

void set(const std::filesystem::path& file, const std::string& assignment) {
  Database(file, Database::Access::write).run("UPDATE rows SET " + assignment);
}

TEST(MergedStores, OfAllShardsAreTheStoreOfTheSweep) {
  const Folder folder;
  const auto all = jobs_of("gemm2d:n=4");
  run(folder / "whole.db", began("sweep", "00"), all);
  Paths parts;
  for (std::uint64_t index = 1; index <= 3; ++index) {
    parts.push_back(folder / (std::to_string(index) + ".db").c_str());
    run(parts.back(), began("sweep", "00"), all, {index, 3});
  }

  std::sort(parts.begin(), parts.end());
  do {
    const auto target = folder / "all.db";
    EXPECT_EQ(merge(target, parts), all.size());
    EXPECT_EQ(rows_of(target), rows_of(folder / "whole.db"));
    EXPECT_EQ(merge(target, parts), 0U);  // again: nothing is new
    EXPECT_EQ(rows_of(target), rows_of(folder / "whole.db"));
    std::filesystem::remove(target);
  } while (std::next_permutation(parts.begin(), parts.end()));
}

TEST(MergedStores, HaveStudiesInTheOrderInWhichTheyBegan) {
  const Folder folder;
  const auto first = jobs_of("gemm2d:n=4");
  const auto second = jobs_of("gemm2d:n=5");
  run(folder / "whole.db", began("first", "01"), first);
  run(folder / "whole.db", began("second", "02"), second);
  run(folder / "a.db", began("second", "02"), second);
  run(folder / "b.db", began("first", "01"), first);

  EXPECT_EQ(merge(folder / "ab.db", {folder / "a.db", folder / "b.db"}), 16U);
  EXPECT_EQ(merge(folder / "ba.db", {folder / "b.db", folder / "a.db"}), 16U);

  EXPECT_EQ(rows_of(folder / "ab.db"), rows_of(folder / "whole.db"));
  EXPECT_EQ(rows_of(folder / "ba.db"), rows_of(folder / "whole.db"));
  const auto studies = ResultStore(folder / "ab.db", ResultStore::Use::read).studies();
  ASSERT_EQ(studies.size(), 2U);
  EXPECT_EQ(studies[0].command, "first");
  EXPECT_EQ(studies[1].rows, 8U);
}

TEST(MergedStores, GiveASharedRowToTheStudyThatBeganFirst) {
  const Folder folder;
  const auto first = jobs_of("gemm2d:n=4");
  auto second = jobs_of("gemm2d:n=5");
  second.insert(second.begin(), first.begin(), first.end());
  run(folder / "whole.db", began("first", "01"), first);
  run(folder / "whole.db", began("second", "02"), second);
  // The second study made the rows of both where the first one was not.
  run(folder / "a.db", began("second", "02"), second);
  run(folder / "b.db", began("first", "01"), first);

  for (const Paths& order :
       {Paths{folder / "a.db", folder / "b.db"}, Paths{folder / "b.db", folder / "a.db"}}) {
    EXPECT_EQ(merge(folder / "all.db", order), 16U);
    EXPECT_EQ(rows_of(folder / "all.db"), rows_of(folder / "whole.db"));
    EXPECT_EQ(ResultStore(folder / "all.db", ResultStore::Use::read).studies()[0].rows, 8U);
    std::filesystem::remove(folder / "all.db");
  }
}

TEST(MergedStores, NameEveryMachineOfAStudy) {
  const Folder folder;
  const auto all = jobs_of("gemm2d:n=4");
  run(folder / "1.db", began("y", "02"), all, {1, 2});
  run(folder / "2.db", began("x", "01"), all, {2, 2});

  (void)merge(folder / "all.db", {folder / "1.db", folder / "2.db"});
  (void)merge(folder / "all.db", {folder / "2.db"});

  const auto studies = ResultStore(folder / "all.db", ResultStore::Use::read).studies();
  ASSERT_EQ(studies.size(), 1U);
  EXPECT_EQ(studies[0].machine, "machine of x; machine of y");
  EXPECT_EQ(studies[0].date, "2026-11-28T10:00:01Z");
}

TEST(MergedStores, MayNotDifferInOneRow) {
  const Folder folder;
  const auto all = jobs_of("gemm2d:n=4");
  run(folder / "a.db", began("sweep", "01"), all);
  run(folder / "b.db", began("sweep", "01"), all);
  set(folder / "b.db", "loads = 7777 WHERE number = 3");
  const Record odd = all[2].run();

  const std::string why = error_text([&] {
    (void)merge(folder / "all.db", {folder / "a.db", folder / "b.db"});
  });

  EXPECT_EQ(why, "'" + (folder / "a.db").string() + "' and '" + (folder / "b.db").string() +
                     "' have different values in one row, " + name_of_row(odd) + ": loads " +
                     std::to_string(static_cast<int>(*odd.loads)) +
                     " and 7777; leave out the store that is wrong");
  EXPECT_TRUE(ResultStore(folder / "all.db", ResultStore::Use::read).studies().empty());
}

TEST(MergedStores, MayDifferInMeasuredTimes) {
  const Folder folder;
  const auto all = jobs_of("gemm2d:n=4");
  for (const char* const name : {"a.db", "b.db"}) run(folder / name, began("s", "01"), all);
  set(folder / "b.db", "scheduling_s = 0.5");

  EXPECT_EQ(merge(folder / "all.db", {folder / "a.db", folder / "b.db"}), 8U);

  EXPECT_EQ(rows_of(folder / "all.db"), rows_of(folder / "a.db"));
}

TEST(MergedStores, ThatAreDamagedLoseNoRowSilently) {
  const Folder folder;
  run(folder / "a.db", began("one", "01"), jobs_of("gemm2d:n=4"), {1, 2});
  run(folder / "b.db", began("one", "01"), jobs_of("gemm2d:n=4"), {2, 2});
  // Every row of b.db at the place of one of a.db.
  set(folder / "b.db", "number = 100 - number");
  set(folder / "a.db", "number = 200 - number");
  set(folder / "b.db", "number = (SELECT count(*) FROM rows AS r WHERE r.number <= rows.number)");
  set(folder / "a.db", "number = (SELECT count(*) FROM rows AS r WHERE r.number <= rows.number)");

  EXPECT_NE(error_text([&] {
              (void)merge(folder / "all.db", {folder / "a.db", folder / "b.db"});
            }).find("is damaged: it has two rows at the place of"),
            std::string::npos);
}

}  // namespace
}  // namespace damocles::store_merge_test
