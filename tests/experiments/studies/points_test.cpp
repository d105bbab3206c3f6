#include "experiments/studies/points.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/error_text.hpp"

namespace damocles::points_test {
namespace {

using Words = std::vector<std::string>;

TEST(Range, IsItsNumbers) {
  EXPECT_EQ(expanded("10:50:20"), (Words{"10", "30", "50"}));
  EXPECT_EQ(expanded("10:49:20"), (Words{"10", "30"}));
  EXPECT_EQ(expanded("3:1:-1"), (Words{"3", "2", "1"}));
  EXPECT_EQ(expanded("4:4:7"), (Words{"4"}));
  EXPECT_EQ(expanded("0.1:0.5:0.1"), (Words{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(expanded("-0.5:1:0.75"), (Words{"-0.5", "0.25", "1"}));
  EXPECT_EQ(expanded("1:1000:1").size(), 1000U);
}

TEST(Range, MayHaveAUnit) {
  EXPECT_EQ(expanded("5data:15data:5data"), (Words{"5data", "10data", "15data"}));
  EXPECT_EQ(expanded("5data:15data:5"), (Words{"5data", "10data", "15data"}));
  EXPECT_EQ(expanded("0.5GB/s:1.5GB/s:0.5"), (Words{"0.5GB/s", "1GB/s", "1.5GB/s"}));
  EXPECT_EQ(expanded("2data:1data"), (Words{"2data", "1data"}));
}

TEST(Range, WithoutAStepHasAboutTenValues) {
  EXPECT_EQ(expanded("1:4"), (Words{"1", "2", "3", "4"}));  // no more whole numbers than these
  EXPECT_EQ(expanded("7:7"), Words{"7"});
  EXPECT_EQ(expanded("0:0.3"), (Words{"0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(expanded("0:1.0").size(), 11U);
  EXPECT_EQ(expanded("10:100"), expanded("10:100:10"));  // 9 intervals
  EXPECT_EQ(expanded("0:100"), expanded("0:100:10"));    // else 10
  EXPECT_EQ(expanded("8:72"), expanded("8:72:8"));       // else 8
  EXPECT_EQ(expanded("80:-20"), expanded("80:-20:-10"));
  EXPECT_EQ(expanded("5data:80data"),  // 5 + 75 i / 9, rounded
            (Words{"5data", "13data", "22data", "30data", "38data", "47data", "55data", "63data",
                   "72data", "80data"}));
  EXPECT_EQ(expanded("0:999999999999999").size(), 10U);
}

TEST(Range, LeavesOtherWordsAlone) {
  for (const char* const word : {"50", "darts", "outer:n=4", "a:b:c", "2mm:5:1", ""}) {
    EXPECT_EQ(expanded(word), Words{word});
  }
}

/// Else `n = "1: 5:1"` would be refused as a size that is no whole number.
TEST(Range, IsRefusedWhereItIsMalformed) {
  const auto refusal = [](const char* text) { return error_text([&] { (void)expanded(text); }); };

  EXPECT_EQ(
      refusal("1: 5:1"),
      "range '1: 5:1': ' 5' is not a decimal number of at most 15 digits; write first:last:step, as 10:300:10");
  EXPECT_NE(refusal("1:2:3:4").find("4 numbers, not 2 or 3; write first:last:step"),
            std::string::npos);
  EXPECT_EQ(refusal("250MB:1GB"),
            "range '250MB:1GB': give all its numbers in one unit, not 'MB' and 'GB'; "
            "write first:last:step, as 10:300:10");
  for (const char* const range :
       {"1:2:3:4", "1:2:", ":", ":5:1", "1.:2:1", ".5:1:1", "1e3:2:1", "1:x:1",
        "1:2:99999999999999999", "1 :5:1", "1:5MB", "1MB:5MB:1GB", "1MB:5MB:x"}) {
    EXPECT_TRUE(refusal(range).starts_with(std::string("range '") + range + "': ")) << range;
  }
}

TEST(Range, IsRefusedWhereItHasNoEnd) {
  const auto refusal = [](const char* text) { return error_text([&] { (void)expanded(text); }); };

  EXPECT_EQ(refusal("1:9:0"),
            "range '1:9:0': a step of 0 leads nowhere; write first:last:step, as 10:300:10");
  EXPECT_NE(refusal("1:9:-1").find("leads away"), std::string::npos);
  EXPECT_NE(refusal("9:1:5").find("leads away"), std::string::npos);
  EXPECT_NE(refusal("9:8:5").find("leads away"), std::string::npos);  // also within one step
  EXPECT_NE(refusal("0:250000:1").find("250001 values; at most 250000"), std::string::npos);
  EXPECT_NE(refusal("0:999999999999999:0.00000000000001").find("too many digits"),
            std::string::npos);
}

TEST(Substituted, PutsValuesInOnce) {
  const Values values{{"n", "{p}"}, {"p", "7"}};

  EXPECT_EQ(substituted("outer:n={p},m={p}", values), "outer:n=7,m=7");
  EXPECT_EQ(substituted("{n}", values), "{p}");  // not 7: what stands in values stays
  EXPECT_EQ(substituted("plain", values), "plain");
  const auto refusal = [&](const char* text) {
    return error_text([&] { (void)substituted(text, values); });
  };
  EXPECT_EQ(refusal("a{q},{n}"), "'{q}' is not a variable; add q = [50, 100] under [vary]");
  EXPECT_EQ(refusal("a{n"), "'{n' names no variable; write {NAME}");
  EXPECT_EQ(refusal("a{}b"), "'{}b' names no variable; write {NAME}");
}

TEST(Points, AreEveryChoiceTheLastVariableFastest) {
  Points points({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}});
  std::string seen;
  do {
    seen += points.values()["a"] + points.values()["b"] + " ";
  } while (points.next());

  EXPECT_EQ(seen, "1x 1y 1z 2x 2y 2z ");
  EXPECT_EQ(points.count(), 6U);
}

TEST(Points, MoveZippedVariablesTogether) {
  Points points({{"n", {"1", "2"}}}, {{{"p", {"4", "5"}}, {"mean", {"x", "y"}}}, {}});
  std::string seen;
  do {
    const Values values = points.values();
    seen += values.at("n") + values.at("p") + values.at("mean") + " ";
  } while (points.next());

  EXPECT_EQ(seen, "14x 15y 24x 25y ");
  EXPECT_EQ(points.count(), 4U);
  EXPECT_EQ(points.text(), "n: 2 values, mean+p: 2 values");
}

TEST(VariablesIn, AreTheNamesInBraces) {
  EXPECT_EQ(variables_in("outer:n={n},m={m.k}"), (Words{"n", "m.k"}));
  EXPECT_EQ(variables_in("outer:n=4}{"), Words{});
}

TEST(Points, AreCountedWithoutBeingMade) {
  std::map<std::string, std::vector<std::string>> many;
  for (char name = 'a'; name <= 'z'; ++name) many[std::string(1, name)] = Words(1000, "1");

  EXPECT_EQ(Points(many).count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Points({}).count(), 1U);
  EXPECT_FALSE(Points({}).next());
}

}  // namespace
}  // namespace damocles::points_test
