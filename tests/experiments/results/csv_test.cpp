#include "experiments/results/csv.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/origin.hpp"
#include "tests/error_text.hpp"

namespace damocles::csv_test {
namespace {

using Table = std::vector<std::vector<std::string>>;

Table read(std::string_view text) {
  CsvReader rows(text, "table");
  Table result;
  std::vector<std::string> values;
  while (rows.next(values)) result.push_back(values);
  return result;
}

/// Letters that CSV treats apart, and some that it does not.
std::string any_text(std::mt19937& random) {
  static const std::string letters(",,\"\"\n\n\r\r|;'\\ ab1\t\0\xff\xC3\xA9", 21);
  std::string text;
  for (std::size_t size = random() % 8; size > 0; --size) {
    text += letters[random() % letters.size()];
  }
  return text;
}

TEST(Csv, ReadsBackAnyText) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    Table table;
    std::string text;
    for (int row = 0; row < 3; ++row) {
      table.push_back({"x", any_text(random), any_text(random)});
      text += csv_line(table.back());
    }

    EXPECT_EQ(read(text), table) << text;
  }
}

TEST(Csv, ReadsWhatSpreadsheetsSave) {
  EXPECT_EQ(read("\xEF\xBB\xBFsource,strategy\r\nsimulated,\"a\r\nb\"\r\n\r\nx,y"),
            (Table{{"source", "strategy"}, {"simulated", "a\r\nb"}, {"x", "y"}}));
  EXPECT_EQ(read(""), Table());
  EXPECT_EQ(read("\n\n"), Table());
}

TEST(Csv, SaysWhichLineIsWrong) {
  const auto refusal = [](std::string_view text) {
    return error_text([&] { static_cast<void>(parse_csv(text, "file 'x'")); });
  };

  EXPECT_EQ(
      refusal("source\n\"a\"b\n"),
      "file 'x', line 2: text behind the quotes around a value; write quotes within it twice");
  EXPECT_EQ(
      refusal("source,seed\n\"a\nb\",1\nc\n"),
      "file 'x', line 4: 1 value, but the header has 2 columns; write one value for each column");
  EXPECT_EQ(refusal("source\n\"a\n\n"), "file 'x', line 2: a quote is never closed");
  EXPECT_EQ(refusal("seed,seed\n1,1\n"),
            "file 'x', line 1: column seed stands there twice; leave one");
  EXPECT_NE(refusal("seed\nmany\n").find("file 'x', line 2: column seed: 'many'"),
            std::string::npos);
}

// With `|` between them, strategy "a|b" on "c" had the key of "a" on "b|c".
TEST(Key, IsOneOnlyWhereAllPartsAre) {
  std::mt19937 random(2);
  const auto any_row = [&] {
    Record row;
    for (auto* text : {&row.source, &row.model, &row.strategy, &row.workload, &row.platform,
                       &row.inputs, &row.version}) {
      *text = any_text(random).substr(0, 2);
    }
    row.seed = random() % 2;
    return row;
  };
  const auto parts = [](const Record& row) {
    return std::tuple(row.source, row.model, row.strategy, row.workload, row.platform, row.inputs,
                      row.version, row.seed);
  };
  std::map<std::string, Record> seen;
  for (int round = 0; round < 3000; ++round) {
    const Record row = any_row();
    const auto [at, is_new] = seen.try_emplace(key(row), row);
    EXPECT_TRUE(is_new || parts(at->second) == parts(row)) << key(row);
  }
  Record left;
  left.strategy = "a|b";
  left.workload = "c";
  Record right;
  right.strategy = "a";
  right.workload = "b|c";
  EXPECT_NE(key(left), key(right));
}

TEST(Key, ChangesWithFilesOptionsAndVersion) {
  Record row;
  row.strategy = "random";
  for (auto* part : {&row.inputs, &row.version}) {
    const std::string before = key(row);
    *part = "x";
    EXPECT_NE(key(row), before);
  }
  const std::string asked = request(row);
  row.version = "y";
  EXPECT_EQ(request(row), asked);
}

}  // namespace
}  // namespace damocles::csv_test
