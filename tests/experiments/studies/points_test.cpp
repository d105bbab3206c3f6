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
  EXPECT_NE(refusal("1:2").find("'1:2': 2 numbers, not 3; write first:last:step"),
            std::string::npos);
  for (const char* const range : {"1:2:3:4", "1:2:", ":", ":5:1", "1.:2:1", ".5:1:1", "1e3:2:1",
                                  "1:x:1", "1:2:99999999999999999", "1 :5:1"}) {
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

TEST(Points, AreCountedWithoutBeingMade) {
  std::map<std::string, std::vector<std::string>> many;
  for (char name = 'a'; name <= 'z'; ++name) many[std::string(1, name)] = Words(1000, "1");

  EXPECT_EQ(Points(many).count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Points({}).count(), 1U);
  EXPECT_FALSE(Points({}).next());
}

}  // namespace
}  // namespace damocles::points_test
