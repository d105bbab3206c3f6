#include "experiments/results/journal.hpp"

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::journal_test {
namespace {

Record row(const std::string& strategy) {
  Record record;
  record.source = "simulated";
  record.strategy = strategy;
  return record;
}

std::vector<std::string> strategies(const std::vector<Record>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const Record& one : rows) names.push_back(one.strategy);
  return names;
}

void write_one_row(const std::filesystem::path& path) {
  Journal journal(path);
  journal.append(row("eager"));
}

TEST(Journal, LeavesNoFileWithoutRows) {
  const Folder folder;
  const auto path = folder / "rows";
  {
    const Journal journal(path);
    EXPECT_TRUE(journal.before().empty());
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Journal, GoesOnWhereItEnded) {
  const Folder folder;
  const auto path = folder / "rows";
  write_one_row(path);
  {
    Journal journal(path);
    EXPECT_EQ(strategies(journal.before()), (std::vector<std::string>{"eager"}));
    journal.append(row("darts"));
  }
  Journal journal(path);
  EXPECT_EQ(strategies(journal.before()), (std::vector<std::string>{"eager", "darts"}));
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Journal, CutsOffHalfARow) {
  const Folder folder;
  const auto path = folder / "rows";
  write_one_row(path);
  const std::string whole = content(path);
  std::ofstream(path, std::ios::app) << "simulated,,dar";
  {
    Journal journal(path);
    EXPECT_EQ(strategies(journal.before()), (std::vector<std::string>{"eager"}));
  }
  EXPECT_EQ(content(path), whole);
}

TEST(Journal, BeginsAnewWhereHalfAHeaderIs) {
  const Folder folder;
  const auto path = folder / "rows";
  write_one_row(path);
  const std::string whole = content(path);
  std::ofstream(path) << whole.substr(0, 10);
  {
    Journal journal(path);
    EXPECT_TRUE(journal.before().empty());
    journal.append(row("eager"));
  }
  EXPECT_EQ(content(path), whole);
}

TEST(Journal, RefusesAnothersFile) {
  const Folder folder;
  const auto path = folder / "rows";
  std::ofstream(path) << "source,strategy\nsimulated,eager\n";

  const auto error = error_text([&] { const Journal journal(path); });

  EXPECT_EQ(
      error,
      "unfinished results '" + path.string() +
          "' have other columns, as another version writes; move the file away, or remove it");
  EXPECT_EQ(content(path), "source,strategy\nsimulated,eager\n");
}

TEST(Journal, LetsGoOfWhatItRefuses) {
  const Folder folder;
  const auto path = folder / "rows";
  std::ofstream(path) << "a,b\n1,2\n";
  EXPECT_THROW(const Journal journal(path), InvalidInput);
  std::filesystem::resize_file(path, 0);

  EXPECT_NO_THROW(const Journal journal(path));
}

TEST(Journal, IsOneProcessesAtATime) {
  const Folder folder;
  const auto path = folder / "rows";
  Journal first(path);
  first.append(row("eager"));

  EXPECT_EQ(error_text([&] { const Journal second(path); }),
            "another damocles is writing these results: it has '" + path.string() +
                "'; wait until it ends, or give -o another name");
  EXPECT_EQ(first.before().size(), 0U);
}

TEST(Journal, IsNoLinkAndNoFolder) {
  const Folder folder;
  std::filesystem::create_symlink("nowhere", folder / "link");
  std::filesystem::create_directory(folder / "folder");

  EXPECT_EQ(
      error_text([&] { const Journal journal(folder / "link"); }),
      "output '" + (folder / "link").string() + "' cannot be written: it is a link; remove it");
  EXPECT_EQ(error_text([&] { const Journal journal(folder / "folder"); }),
            "output '" + (folder / "folder").string() + "' cannot be written: Is a directory");
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
}

}  // namespace
}  // namespace damocles::journal_test
