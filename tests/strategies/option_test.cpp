// The values that options take: what is valid, and how it is named.
#include "strategies/option.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/error.hpp"

namespace damocles::option_test {
namespace {

bool takes(const OptionValues& values, const std::string& value) {
  return values.why_not(value).empty();
}

TEST(OptionValues, TakeTheirWordsAlone) {
  const auto values = OptionValues::words({"paper", "starpu", "ours"});
  EXPECT_TRUE(takes(values, "paper") && takes(values, "starpu") && takes(values, "ours"));
  EXPECT_EQ(values.why_not("Paper"), "must be paper, starpu or ours, not 'Paper'");
  EXPECT_EQ(OptionValues::true_or_false().why_not("1"), "must be true or false, not '1'");
}

TEST(OptionValues, TakeNumbersOfTheirRange) {
  const auto values = OptionValues::number(0, 0.5);
  for (const auto* valid : {"0", "0.5", "1e-3", "-0"}) EXPECT_TRUE(takes(values, valid)) << valid;
  for (const auto* wrong : {"-1", "0.51", "nan", "inf", "", "0.1x", "1e999"}) {
    EXPECT_EQ(values.why_not(wrong),
              std::string("must be a number from 0 to 0.5, not '") + wrong + "'");
  }
  EXPECT_EQ(OptionValues::number(0).text(), "a number, at least 0");
}

TEST(OptionValues, OfferSomeThatAreValid) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(OptionValues::true_or_false().some(), (Words{"true", "false"}));
  EXPECT_EQ(OptionValues::number(0, 0.5).some(), (Words{"0", "0.1", "0.5"}));
  EXPECT_EQ(OptionValues::words({"auto"}).or_whole(3).some(),
            (Words{"auto", "3", "4", "10", "1000000"}));
  EXPECT_EQ(OptionValues().some(), Words{});
}

TEST(OptionValues, TakeWholeNumbersOfTheirRange) {
  const auto values = OptionValues::whole(1, std::uint64_t{1} << 31U);
  EXPECT_TRUE(takes(values, "1") && takes(values, "2147483648"));
  for (const auto* wrong : {"0", "2147483649", "1.5", "1e3", "-1", "99999999999999999999"}) {
    EXPECT_EQ(values.why_not(wrong),
              std::string("must be a whole number from 1 to 2147483648, not '") + wrong + "'");
  }
}

TEST(OptionValues, TakeWordsOrNumbers) {
  const auto ready = OptionValues::true_or_false().or_whole(2);
  EXPECT_TRUE(takes(ready, "true") && takes(ready, "2") && takes(ready, "1000"));
  EXPECT_EQ(ready.why_not("1"), "must be true, false or a whole number, at least 2, not '1'");
  EXPECT_EQ(OptionValues::words({"auto"}).or_number(0, 1).text(), "auto or a number from 0 to 1");
}

TEST(OptionValues, AskTheCheckOfNames) {
  const auto check = [](const std::string& name) {
    if (name == "b") throw InvalidInput("b was not built");
  };
  const auto values = OptionValues::names([] { return std::vector<std::string>{"a", "b"}; }, check);
  EXPECT_TRUE(takes(values, "a"));
  EXPECT_THROW((void)values.why_not("b"), InvalidInput);
  EXPECT_EQ(values.text(), "a or b");
}

TEST(OptionValues, LeaveFilesToWhoReadsThem) {
  EXPECT_TRUE(takes(OptionValues{}, "anything.rec"));
  EXPECT_EQ(OptionValues{}.text(), "a file name");
}

TEST(OptionsOfASpec, AreReadAsChecked) {
  const Spec spec = Spec::parse("any:w=word,f=true,x=-0,n=7", "strategy");
  EXPECT_EQ(word_of(spec, "w", "other"), "word");
  EXPECT_EQ(word_of(spec, "absent", "other"), "other");
  EXPECT_TRUE(flag_of(spec, "f", false));
  EXPECT_TRUE(flag_of(spec, "absent", true));
  EXPECT_FALSE(std::signbit(number_of(spec, "x", 1)));
  EXPECT_EQ(number_of(spec, "absent", 1.5), 1.5);
  EXPECT_EQ(whole_of(spec, "n", 1), 7U);
  EXPECT_EQ(whole_of(spec, "absent", 1), 1U);
}

}  // namespace
}  // namespace damocles::option_test
