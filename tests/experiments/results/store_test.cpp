#include "experiments/results/store.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <limits>
#include <thread>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "models/error.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::store_test {
namespace {

constexpr const char* what_to_give = "give a file that `damocles sweep --store` wrote";

Record row(std::uint64_t replicate) {
  Record record;
  record.source = "simulated";
  record.strategy = "eager";
  record.replicate = replicate;
  record.status = {Status::Kind::ok};
  return record;
}

NewRow numbered(std::int64_t number, const Record& record) {
  return {.number = number, .study = 1, .key = key(record), .record = record};
}

void add(ResultStore& store, std::int64_t number, const Record& record) {
  const NewRow one = numbered(number, record);
  store.add({&one, 1});
}

std::vector<Record> rows(ResultStore& store) {
  std::vector<Record> all;
  store.each_row([&](const Record& record) { all.push_back(record); });
  return all;
}

/// A file of SQLite's, made by these statements.
void write_database(const std::filesystem::path& path, const std::string& sql) {
  Database database(path, Database::Access::write);
  database.run(sql);
}

std::string refused(const std::filesystem::path& path, ResultStore::Use use) {
  return error_text([&] { const ResultStore store(path, use); });
}

/// A record with another value in each column.
Record filled() {
  Record record;
  int value = 0;
  for (const Column& column : columns()) {
    ++value;
    if (const auto* const real = std::get_if<Record::Real Record::*>(&column.member)) {
      record.*(*real) = value / 7.0;
    } else if (const auto* const count = std::get_if<Record::Count Record::*>(&column.member)) {
      record.*(*count) = static_cast<std::uint64_t>(value);
    } else if (const auto* const text = std::get_if<Record::Text Record::*>(&column.member)) {
      record.*(*text) = "a \"b\", 'c'\n\xff" + std::to_string(value);
    } else {
      record.status = {Status::Kind::infeasible, "memory is too small"};
    }
  }
  return record;
}

TEST(ResultStore, BringsEveryColumnBack) {
  const Folder folder;
  ResultStore store(folder / "s.db", ResultStore::Use::write);
  add(store, 1, filled());
  add(store, 2, Record{});

  const auto back = rows(store);

  ASSERT_EQ(back.size(), 2U);
  const auto all = written_columns(Group::origin);
  EXPECT_EQ(csv_line(back[0], all), csv_line(filled(), all));
  EXPECT_EQ(csv_line(back[1], all), csv_line(Record{}, all));
}

TEST(ResultStore, BringsNumbersBackBitByBit) {
  const Folder folder;
  ResultStore store(folder / "s.db", ResultStore::Use::write);
  const std::vector<double> values{0.1,
                                   -0.0,
                                   0.0,
                                   1e300,
                                   5e-324,
                                   3,
                                   -7,
                                   1.0 / 3,
                                   9007199254740993.0,
                                   1e-310,
                                   std::numeric_limits<double>::max()};
  for (std::size_t i = 0; i < values.size(); ++i) {
    Record record = row(i);
    record.makespan_s = values[i];
    add(store, static_cast<std::int64_t>(i), record);
  }

  const auto back = rows(store);

  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(back[i].makespan_s);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back[i].makespan_s),
              std::bit_cast<std::uint64_t>(values[i]))
        << values[i];
  }
}

TEST(ResultStore, HoldsWholeNumbersThatSqliteHasNot) {
  const Folder folder;
  ResultStore store(folder / "s.db", ResultStore::Use::write);
  const std::vector<std::uint64_t> seeds{0, (1ULL << 63U) - 1, 1ULL << 63U, ~0ULL};
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Record record = row(i);
    record.seed = seeds[i];
    add(store, static_cast<std::int64_t>(i), record);
  }

  const auto back = rows(store);

  ASSERT_EQ(back.size(), seeds.size());
  for (std::size_t i = 0; i < seeds.size(); ++i) EXPECT_EQ(back[i].seed, seeds[i]);
}

TEST(ResultStore, HasNoNumberThatIsNotFinite) {
  const Folder folder;
  ResultStore store(folder / "s.db", ResultStore::Use::write);
  Record record = row(0);
  record.loads = std::numeric_limits<double>::quiet_NaN();
  record.makespan_s = std::numeric_limits<double>::infinity();

  add(store, 1, record);

  EXPECT_FALSE(rows(store).at(0).loads);
  EXPECT_FALSE(rows(store).at(0).makespan_s);
}

TEST(ResultStore, KeepsTheFirstRowOfAKey) {
  const Folder folder;
  ResultStore store(folder / "s.db", ResultStore::Use::write);
  Record record = row(0);
  record.loads = 1;
  add(store, 1, record);
  record.loads = 2;

  add(store, 2, record);

  ASSERT_EQ(rows(store).size(), 1U);
  EXPECT_EQ(rows(store)[0].loads, 1);
  EXPECT_EQ(store.find(key(record))->loads, 1);
  EXPECT_FALSE(store.find(key(row(1))));
  const auto both = store.find_all({key(row(1)), key(record)});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_FALSE(both[0]);
  EXPECT_EQ(both[1]->loads, 1);
}

TEST(ResultStore, OrdersRowsByNumberWhicheverEndedFirst) {
  const Folder folder;
  ResultStore store(folder / "s.db", ResultStore::Use::write);
  const auto first = store.begin({.command = "a"}, "digest of a", 3);
  const auto second = store.begin({.command = "b"}, "digest of b", 2);
  add(store, second.first, row(3));
  add(store, first.first + 2, row(2));
  add(store, first.first, row(0));

  const auto again = store.begin({.command = "a"}, "digest of a", 3);
  add(store, again.first + 1, row(1));

  EXPECT_EQ(again.study, first.study);
  const auto back = rows(store);
  ASSERT_EQ(back.size(), 4U);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(back[i].replicate, i);
}

TEST(ResultStore, NamesEachMachineThatWritesAStudy) {
  const Folder folder;
  ResultStore store(folder / "s.db", ResultStore::Use::write);
  for (const char* const machine : {"laptop", "cluster", "laptop"}) {
    (void)store.begin({.command = "a", .machine = machine}, "digest of a", 3);
  }
  const auto studies = store.studies();
  ASSERT_EQ(studies.size(), 1U);
  EXPECT_EQ(studies[0].machine, "cluster; laptop");
}

TEST(ResultStore, SaysWhatIsNoStore) {
  const Folder folder;
  std::ofstream(folder / "notes.db") << "x";  // SQLite takes so short a file for an empty database
  write_database(folder / "theirs.db", "CREATE TABLE t(a)");
  std::filesystem::create_directory(folder / "folder.db");
  for (const auto use : {ResultStore::Use::read, ResultStore::Use::write}) {
    EXPECT_EQ(refused(folder / "notes.db", use),
              "'" + (folder / "notes.db").string() +
                  "' is no store of rows, or it is damaged (file is not a database); " +
                  what_to_give);
    EXPECT_EQ(refused(folder / "theirs.db", use), "'" + (folder / "theirs.db").string() +
                                                      "' is a database of another program; " +
                                                      what_to_give);
    EXPECT_EQ(refused(folder / "folder.db", use),
              "store '" + (folder / "folder.db").string() + "' is no file; give FILE.db");
  }
  EXPECT_EQ(content(folder / "notes.db"), "x");
  EXPECT_EQ(refused(folder / "absent.db", ResultStore::Use::read),
            no_such_file("store", (folder / "absent.db").string(), what_to_give));
}

TEST(ResultStore, FindsNothingInAnEmptyFile) {
  const Folder folder;
  const auto path = folder / "s.db";
  { const std::ofstream made(path); }
  ResultStore store(path, ResultStore::Use::read);
  EXPECT_FALSE(store.find(key(row(0))));
  EXPECT_EQ(error_text([&] { (void)store.studies(); }),
            "store '" + path.string() + "' is empty; " + what_to_give);
}

TEST(ResultStore, RefusesFilesOfNewerVersions) {
  const Folder folder;
  const auto path = folder / "s.db";
  { const ResultStore made(path, ResultStore::Use::write); }
  const auto name = "store '" + path.string() + "' ";

  write_database(path, "PRAGMA user_version = 2");
  EXPECT_EQ(
      refused(path, ResultStore::Use::read),
      name +
          "is of a newer version of damocles (layout 2, this program knows 1); use that version, "
          "or another file");

  write_database(path, "PRAGMA user_version = 1; ALTER TABLE rows ADD COLUMN joy REAL");
  EXPECT_EQ(
      refused(path, ResultStore::Use::write),
      name +
          "has a column joy, which a newer version of damocles wrote; use that version, or another file");
}

TEST(ResultStore, ReadsAndExtendsFilesOfOlderVersions) {
  const Folder folder;
  const auto path = folder / "s.db";
  {
    ResultStore store(path, ResultStore::Use::write);
    add(store, 1, row(0));
  }
  write_database(path, "ALTER TABLE rows DROP COLUMN energy_j");
  {
    ResultStore store(path, ResultStore::Use::read);
    EXPECT_EQ(rows(store).size(), 1U);
  }
  ResultStore store(path, ResultStore::Use::write);
  Record record = row(1);
  record.energy_j = 2.5;
  add(store, 2, record);
  EXPECT_EQ(rows(store).at(1).energy_j, 2.5);
}

TEST(ResultStore, TakesRowsOfSeveralWritersAtOnce) {
  const Folder folder;
  const auto path = folder / "s.db";
  constexpr std::uint64_t of_each = 40;
  std::vector<std::thread> writers;
  for (std::uint64_t writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      ResultStore store(path, ResultStore::Use::write);
      // Half of the rows are those of the neighbour, too.
      for (std::uint64_t i = 0; i < of_each; ++i) {
        const auto number = writer * of_each / 2 + i;
        add(store, static_cast<std::int64_t>(number), row(number));
      }
    });
  }
  for (auto& writer : writers) writer.join();

  {
    ResultStore store(path, ResultStore::Use::read);
    const auto back = rows(store);
    ASSERT_EQ(back.size(), 5 * of_each / 2);
    for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(back[i].replicate, i);
  }
  EXPECT_FALSE(std::filesystem::exists(path.string() + "-wal"));
}

/// The size that a file may have while one lives, as of a disk that fills up.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(ResultStore, KeepsWhatItHasOnAFullDisk) {
  const Folder folder;
  const auto path = folder / "s.db";
  std::uint64_t added = 0;
  {
    ResultStore store(path, ResultStore::Use::write);
    const SmallFiles full(200'000);
    try {
      for (; added < 10'000; ++added) add(store, static_cast<std::int64_t>(added), row(added));
      FAIL() << "10,000 rows fit";
    } catch (const std::runtime_error& error) {
      const std::string why = error.what();
      EXPECT_TRUE(why.starts_with("store '" + path.string() + "' cannot be written: ")) << why;
      EXPECT_TRUE(why.ends_with("the rows that it has are kept: run again to go on")) << why;
    }
  }
  ResultStore store(path, ResultStore::Use::write);
  EXPECT_EQ(rows(store).size(), added);
  add(store, static_cast<std::int64_t>(added), row(added));
  EXPECT_EQ(rows(store).size(), added + 1);
}

TEST(ResultStore, AnswersQuestionsAndChangesNothing) {
  const Folder folder;
  const auto path = folder / "s.db";
  {
    ResultStore store(path, ResultStore::Use::write);
    for (std::uint64_t i = 0; i < 3; ++i) add(store, static_cast<std::int64_t>(i), row(i));
  }
  ResultStore store(path, ResultStore::Use::read);
  const auto asked = [&](const std::string& sql) {
    return error_text([&] { (void)store.answer(sql); });
  };

  const auto table = store.answer("select strategy, count(*) as runs, sum(loads) from rows;");
  EXPECT_EQ(to_csv(table), "strategy,runs,sum(loads)\neager,3,\n");
  EXPECT_EQ(to_csv(store.answer("select count(*) from rows")), "count(*)\n3\n");  // again
  const std::string only_select =
      "--sql: only SELECT is possible, as a query changes nothing; write \"select strategy, makespan_s from rows\"";
  for (const char* const sql :
       {"delete from rows", "drop table rows", "attach 'x.db' as x", "pragma user_version = 7",
        "insert into rows(number) values(1)", "create table t(a)"}) {
    EXPECT_EQ(asked(sql), only_select) << sql;
  }
  EXPECT_EQ(asked("select 1; select 2"), "--sql: one statement is possible; leave out ' select 2'");
  EXPECT_EQ(asked(""), "--sql: give a statement that selects");
  EXPECT_TRUE(asked("select strategi from rows")
                  .starts_with("unknown column in --sql 'strategi'; did you mean 'strategy'?"));
  EXPECT_TRUE(
      asked("select 1 from row").starts_with("unknown table in --sql 'row'; did you mean 'rows'?"));
  EXPECT_EQ(rows(store).size(), 3U);
}

TEST(ResultStore, KnowsFileSystemsOfSeveralMachines) {
  EXPECT_TRUE(is_network_file_system(0x6969));                        // NFS
  EXPECT_TRUE(is_network_file_system(0xff534d42));                    // CIFS
  EXPECT_TRUE(is_network_file_system(static_cast<int>(0xff534d42)));  // as 32 bits have it
  EXPECT_TRUE(is_network_file_system(0x0bd00bd0));                    // Lustre
  EXPECT_TRUE(is_network_file_system(0x65735546));                    // FUSE: it may be one
  EXPECT_FALSE(is_network_file_system(0xef53));                       // ext4
  EXPECT_FALSE(is_network_file_system(0x01021994));                   // tmpfs
}

}  // namespace
}  // namespace damocles::store_test
