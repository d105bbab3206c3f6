#include "models/error.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/error_text.hpp"

namespace damocles::error_test {
namespace {

const std::vector<std::string> names{"dynamic", "dynamic-2phases", "random", "sorted"};

TEST(Nearest, FindsTheNameWithTheFewestEdits) {
  EXPECT_EQ(nearest("dynamc", names), "dynamic");                  // one letter missing
  EXPECT_EQ(nearest("dynamic-2phase", names), "dynamic-2phases");  // the beginning of a name
  EXPECT_EQ(nearest("sroted", names), "sorted");                   // two letters swapped
  EXPECT_EQ(nearest("hots", std::vector<std::string>{"host", "cuda"}), "host");  // even in four
  EXPECT_EQ(nearest("ran", names), "random");
  EXPECT_EQ(nearest("N", std::vector<std::string>{"m", "n"}), "n");  // in whatever case
  EXPECT_EQ(nearest("SORTED", names), "sorted");
}

TEST(Nearest, FindsNothingWhereNoNameIsNear) {
  EXPECT_EQ(nearest("xyz", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("dynamic", {}), "");
}

TEST(Nearest, IsWhatTheNameBeginsBeforeWhatOneLetterMakesOfIt) {
  const std::vector<std::string> presets{"v100", "a100", "h100-pcie", "h100-sxm"};
  EXPECT_EQ(nearest("h100", presets), "h100-pcie");
  EXPECT_EQ(nearest("V100", presets), "v100");
  EXPECT_EQ(nearest("h", presets), "");
}

TEST(Nearest, DoesNotCompareWhatNobodyTyped) {
  EXPECT_EQ(nearest("dynamic" + std::string(5'000'000, 'c'), names), "");
}

TEST(RefuseUnknown, NamesTheValueTheGuessAndTheChoice) {
  EXPECT_EQ(
      error_text([] { refuse_unknown("strategy", "dynamc", names); }),
      "unknown strategy 'dynamc'; did you mean 'dynamic'? valid: dynamic, dynamic-2phases, random, sorted");
  EXPECT_EQ(error_text([] { refuse_unknown("strategy", "xyz", names); }),
            "unknown strategy 'xyz'; valid: dynamic, dynamic-2phases, random, sorted");
  EXPECT_EQ(error_text([] { refuse_unknown("key", "xyz", {}); }), "unknown key 'xyz'; valid: none");
}

TEST(RefuseUnknown, NamesTheCommandInPlaceOfManyNames) {
  std::vector<std::string> many = names;
  for (int i = 0; i < 7; ++i) many.push_back("other" + std::to_string(i));
  EXPECT_EQ(
      error_text([&] { refuse_unknown("strategy", "dynamc", many, "damocles list strategies"); }),
      "unknown strategy 'dynamc'; did you mean 'dynamic'? `damocles list strategies` shows all 11");
  EXPECT_EQ(
      error_text([&] { refuse_unknown("strategy", "xyz", many, "damocles list strategies"); }),
      "unknown strategy 'xyz'; `damocles list strategies` shows all 11");
  many.pop_back();
  EXPECT_NE(error_text([&] {
              refuse_unknown("strategy", "xyz", many, "damocles list strategies");
            }).find("valid: dynamic, "),
            std::string::npos);
}

}  // namespace
}  // namespace damocles::error_test
