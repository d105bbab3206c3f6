#include "experiments/results/unfinished_rows.hpp"

#include <gtest/gtest.h>

#include <array>

#include "experiments/origin.hpp"
#include "models/error.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::unfinished_rows_test {
namespace {

void add(UnfinishedRows& rows, const std::string& strategy, std::int64_t number) {
  Record record;
  record.source = "simulated";
  record.strategy = strategy;
  const std::array new_rows{NewRow{.number = number, .key = key(record), .record = record}};
  rows.store().add(new_rows);
}

std::vector<std::string> strategies(const std::vector<Record>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const Record& one : rows) names.push_back(one.strategy);
  return names;
}

void write_one_row(const std::filesystem::path& path) {
  UnfinishedRows rows(path);
  add(rows, "eager", 1);
}

TEST(UnfinishedRows, LeaveNoFileWithoutRows) {
  const Folder folder;
  const auto path = folder / "rows";
  {
    UnfinishedRows rows(path);
    EXPECT_TRUE(rows.take_before().empty());
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    UnfinishedRows rows(path);
    (void)rows.store();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UnfinishedRows, GoOnWhereTheyEnded) {
  const Folder folder;
  const auto path = folder / "rows";
  write_one_row(path);
  {
    UnfinishedRows rows(path);
    EXPECT_EQ(strategies(rows.take_before()), (std::vector<std::string>{"eager"}));
    add(rows, "darts", 2);
  }
  UnfinishedRows rows(path);
  EXPECT_EQ(strategies(rows.take_before()), (std::vector<std::string>{"eager", "darts"}));
  rows.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UnfinishedRows, AreReadWhileAnotherWritesThem) {
  const Folder folder;
  const auto path = folder / "rows";
  EXPECT_TRUE(read_unfinished_rows(path).empty());
  EXPECT_FALSE(std::filesystem::exists(path));
  UnfinishedRows rows(path);
  EXPECT_TRUE(read_unfinished_rows(path).empty());
  add(rows, "eager", 1);

  EXPECT_EQ(strategies(read_unfinished_rows(path)), (std::vector<std::string>{"eager"}));
}

/// As the end of a program in its first instants may leave it.
TEST(UnfinishedRows, BeginAnewInAnEmptyFile) {
  const Folder folder;
  const auto path = folder / "rows";
  std::ofstream(path).close();
  std::ofstream(path.string() + "-wal") << "of a file that somebody removed";
  write_one_row(path);

  EXPECT_EQ(strategies(read_unfinished_rows(path)), (std::vector<std::string>{"eager"}));
}

TEST(UnfinishedRows, RefuseWhatIsNoStore) {
  const Folder folder;
  const auto path = folder / "rows";
  const std::string rows_of_earlier_versions = "source,strategy\nsimulated,eager\n";
  std::ofstream(path) << rows_of_earlier_versions;
  const std::string why =
      "unfinished results '" + path.string() +
      "' are of an earlier version of damocles, or no results; finish them with that version, "
      "move the file away, or remove it";

  EXPECT_EQ(error_text([&] { const UnfinishedRows rows(path); }), why);
  EXPECT_EQ(error_text([&] { (void)read_unfinished_rows(path); }), why);
  EXPECT_EQ(content(path), rows_of_earlier_versions);
}

TEST(UnfinishedRows, LetGoOfWhatTheyRefuse) {
  const Folder folder;
  const auto path = folder / "rows";
  std::ofstream(path) << "a,b\n1,2\n";
  EXPECT_THROW(const UnfinishedRows rows(path), InvalidInput);
  std::filesystem::resize_file(path, 0);

  EXPECT_NO_THROW(const UnfinishedRows rows(path));
}

TEST(UnfinishedRows, AreOneProcessesAtATime) {
  const Folder folder;
  const auto path = folder / "rows";
  UnfinishedRows first(path);
  const std::string why = "another damocles is writing these results: it has '" + path.string() +
                          "'; wait until it ends, or give -o another name";
  EXPECT_EQ(error_text([&] { const UnfinishedRows second(path); }), why);
  add(first, "eager", 1);

  EXPECT_EQ(error_text([&] { const UnfinishedRows second(path); }), why);
  add(first, "darts", 2);
  EXPECT_EQ(read_unfinished_rows(path).size(), 2U);
}

TEST(UnfinishedRows, AreInNoLinkAndNoFolder) {
  const Folder folder;
  std::filesystem::create_symlink("nowhere", folder / "link");
  std::filesystem::create_directory(folder / "folder");

  EXPECT_EQ(
      error_text([&] { const UnfinishedRows rows(folder / "link"); }),
      "output '" + (folder / "link").string() + "' cannot be written: it is a link; remove it");
  EXPECT_EQ(error_text([&] { const UnfinishedRows rows(folder / "folder"); }),
            "output '" + (folder / "folder").string() + "' cannot be written: Is a directory");
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
}

}  // namespace
}  // namespace damocles::unfinished_rows_test
