#include "experiments/results/tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace damocles::tables_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Tables, SetNumbersToTheRightAndWordsToTheLeft) {
  EXPECT_EQ(aligned({{"strategy", "loads"}, {"a", "7"}, {"longer-name", "1234567"}}),
            "strategy       loads\n"
            "a                  7\n"
            "longer-name  1234567\n");
}

TEST(Tables, HaveNoColumnOfDashes) {
  EXPECT_EQ(aligned({{"s", "beta", "gap", "n"}, {"a", "–", "", "1"}, {"b", "–", "", "2"}}),
            "s  n\n"
            "a  1\n"
            "b  2\n");
  // One value is enough to keep a column, and a head alone is shown whole.
  EXPECT_EQ(aligned({{"s", "beta"}, {"a", "–"}, {"b", "3"}}), "s  beta\na     –\nb     3\n");
  EXPECT_EQ(aligned({{"s", "beta"}}), "s  beta\n");
  EXPECT_EQ(aligned({}), "");
}

TEST(Tables, CountLettersNotBytes) {
  EXPECT_EQ(aligned({{"é", "n"}, {"abc", "1"}}), "é    n\nabc  1\n");
}

TEST(Tables, WrapWordsToTheScreen) {
  const Rows rows{{"name", "meaning"},
                  {"darts", "the data that frees most tasks, then those tasks"},
                  {"eager", "in order"}};
  EXPECT_EQ(aligned(rows, {.width = 30}),
            "name   meaning\n"
            "darts  the data that frees\n"
            "       most tasks, then those\n"
            "       tasks\n"
            "eager  in order\n");
}

TEST(Tables, ComeInBlocksWhereNumbersAreTooWide) {
  const Rows rows{{"strategy", "one", "two", "three"}, {"a", "1111", "2222", "3333"}};
  EXPECT_EQ(aligned(rows, {.width = 20}),
            "strategy   one   two\n"
            "a         1111  2222\n"
            "\n"
            "strategy  three\n"
            "a          3333\n");
}

TEST(Tables, FitEveryScreenAndLoseNothing) {
  Rows rows{{"strategy", "what it does", "beta", "loads", "source"}};
  for (int i = 0; i < 9; ++i) {
    rows.push_back({"strategy-" + std::to_string(i), "does this and that and something else too",
                    std::to_string(1.5 * i), std::to_string(123456789 * i),
                    "HPDC'14, Alg. 1 and 2"});
  }
  for (std::size_t width = 28; width <= 160; width += 4) {
    const std::string text = aligned(rows, {.width = width});
    for (const auto& line : lines_of(text)) EXPECT_LE(line.size(), width) << text;
    std::string letters = text;
    std::erase_if(letters, [](char c) { return c == ' ' || c == '\n'; });
    for (const auto& row : rows) {
      // Numbers and names stay whole; of wrapped words every one is there.
      EXPECT_NE(text.find(row[3]), std::string::npos);
      std::istringstream words(row[1]);
      for (std::string word; words >> word;) EXPECT_NE(text.find(word), std::string::npos) << word;
    }
  }
}

TEST(Tables, OfEntriesPutSentencesBelowWhereTheirColumnWouldBeNarrow) {
  const Rows rows{{"key", "values", "meaning"},
                  {"k", "few|many", "how many there are of what is counted here"},
                  {"memory", "500MB|500MiB|unlimited|35data", "of each"}};

  EXPECT_EQ(aligned_entries(rows, {}), aligned(rows));
  EXPECT_EQ(aligned_entries(rows, {.width = 81}), aligned(rows));  // 6 + 2 + 29 + 2 + 42
  EXPECT_EQ(aligned_entries(rows, {.width = 80}), aligned(rows, {.width = 80}));  // 41 letters
  EXPECT_EQ(aligned_entries(rows, {.width = 45}),
            "key     values\n"
            "    meaning\n"
            "k       few|many\n"
            "    how many there are of what is counted\n"
            "    here\n"
            "memory  500MB|500MiB|unlimited|35data\n"
            "    of each\n");
}

TEST(Tables, OfEntriesNameEachOfSeveralSentences) {
  const Rows rows{{"claim", "setting", "statement"},
                  {"a", "two vectors of a hundred blocks each", "the best one is at four or five"},
                  {"b", "–", "whatever is drawn, it is random enough"}};

  EXPECT_EQ(aligned_entries(rows, {.width = 50}),
            "claim\n"
            "a\n"
            "    setting: two vectors of a hundred blocks each\n"
            "    statement: the best one is at four or five\n"
            "b\n"
            "    statement: whatever is drawn, it is random\n"
            "    enough\n");
}

TEST(Tables, OfEntriesFitEveryScreenAndLoseNothing) {
  Rows rows{{"preset", "single", "double", "half", "source"}};
  for (int i = 0; i < 5; ++i) {
    rows.push_back({"preset-" + std::to_string(i), std::to_string(123456789 * i),
                    std::to_string(5 * i), std::to_string(987654321LL * i),
                    "the data sheet, or what somebody measured on such a machine"});
  }
  for (std::size_t width = 28; width <= 160; ++width) {
    const std::string text = aligned_entries(rows, {.width = width});
    for (const auto& line : lines_of(text)) EXPECT_LE(line.size(), width) << text;
    for (const auto& row : rows) {
      for (std::size_t c = 0; c + 1 < row.size(); ++c) {
        EXPECT_NE(text.find(row[c]), std::string::npos) << row[c] << "\n" << text;
      }
    }
    const auto first = text.find("measured");
    EXPECT_NE(first, std::string::npos) << text;
    EXPECT_NE(text.find("measured", first + 1), std::string::npos) << text;
  }
}

TEST(Tables, AreColouredOnlyWhereAsked) {
  const Rows rows{{"strategy", "verdict"}, {"a", "agrees"}, {"b", "outside both"}, {"c", "plain"}};
  EXPECT_EQ(aligned(rows).find('\x1b'), std::string::npos);
  EXPECT_EQ(aligned(rows, {.width = 0, .colour = true}),
            "\x1b[1mstrategy\x1b[0m  \x1b[1mverdict\x1b[0m\n"
            "a         \x1b[32magrees\x1b[0m\n"
            "b         \x1b[31moutside both\x1b[0m\n"
            "c         plain\n");
}

TEST(Tables, LeaveOutColumnsInTheOrderGivenUntilTheyFit) {
  constexpr std::array<std::string_view, 3> first_out{"b", "none", "c"};
  const Rows rows{{"a", "b", "c", "d"}, {"x", "12345", "12345", "1"}};
  Rows fitting = rows;
  EXPECT_TRUE(fit(fitting, 18, first_out).empty());
  EXPECT_EQ(fitting, rows);
  EXPECT_EQ(fit(fitting, 17, first_out), std::vector<std::string>{"b"});
  EXPECT_EQ(fitting, (Rows{{"a", "c", "d"}, {"x", "12345", "1"}}));
  EXPECT_EQ(fit(fitting, 1, first_out), std::vector<std::string>{"c"});
}

TEST(Tables, AsLatexEscapeWhatLatexReads) {
  EXPECT_EQ(latex_table({{"makespan_s", "loads"}, {"a&b\\~", "12 %"}}),
            "\\begin{tabular}{lr}\n\\toprule\nmakespan\\_s & loads \\\\\n\\midrule\n"
            "a\\&b\\textbackslash{}\\~{} & 12 \\% \\\\\n\\bottomrule\n\\end{tabular}\n");
}

}  // namespace
}  // namespace damocles::tables_test
