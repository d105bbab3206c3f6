#include "models/spec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/error_text.hpp"

namespace damocles::spec_test {
namespace {

Spec parsed(std::string_view text) { return Spec::parse(text, "workload"); }

std::string refusal(std::string_view text) {
  return error_text([&] { static_cast<void>(parsed(text)); });
}

TEST(Spec, ReadsANameAlone) {
  const auto spec = parsed("dynamic");

  EXPECT_EQ(spec.name(), "dynamic");
  EXPECT_EQ(spec.what(), "workload");
  EXPECT_TRUE(spec.values().empty());
  EXPECT_EQ(spec.text(), "dynamic");
}

TEST(Spec, ReadsOptionsInAnyOrderAndKeepsIt) {
  const auto spec = parsed("outer:n=100,m=50");

  EXPECT_EQ(spec.integer("m", 1, 1000), 50U);
  EXPECT_EQ(spec.integer("n", 1, 1000), 100U);
  EXPECT_FALSE(spec.integer("k", 1, 1000));
  EXPECT_TRUE(spec.has("n"));
  EXPECT_FALSE(spec.has("k"));
  EXPECT_EQ(spec.text(), "outer:n=100,m=50");
}

TEST(Spec, ReadsValuesWithoutKeys) {
  const auto spec = parsed("speeds:80,100,150");

  EXPECT_EQ(spec.values(), (std::vector<std::string>{"80", "100", "150"}));
  EXPECT_EQ(spec.text(), "speeds:80,100,150");
}

TEST(Spec, IgnoresSpaceAroundEveryPart) {
  EXPECT_EQ(parsed("  outer : n = 3 ,\tm= 4 ").text(), "outer:n=3,m=4");
}

TEST(Spec, RefusesWhatTheGrammarDoesNotHave) {
  EXPECT_EQ(refusal(""), "workload '' has no name; write name or name:key=value,key=value");
  EXPECT_EQ(refusal(":n=3"), "workload ':n=3' has no name; write name or name:key=value,key=value");
  EXPECT_EQ(
      refusal("outer:"),
      "workload 'outer:': an option is empty; leave out its comma, or colon, or write key=value");
  EXPECT_EQ(
      refusal("outer:n=3,"),
      "workload 'outer:n=3,': an option is empty; leave out its comma, or colon, or write key=value");
  EXPECT_EQ(
      refusal("outer:,n=3"),
      "workload 'outer:,n=3': an option is empty; leave out its comma, or colon, or write key=value");
  EXPECT_EQ(refusal("outer:n="), "workload 'outer:n=': 'n=' is not key=value");
  EXPECT_EQ(refusal("outer:n= "), "workload 'outer:n= ': 'n=' is not key=value");
  EXPECT_EQ(refusal("outer:=3"), "workload 'outer:=3': '=3' is not key=value");
  EXPECT_EQ(refusal("outer:n=3,n=3"), "workload 'outer:n=3,n=3' gives 'n' twice; give it once");
}

TEST(Spec, NamesTheSignThatBelongsBetweenItsParts) {
  EXPECT_EQ(refusal("gpus=k=1"), "workload 'gpus=k=1': write a colon after the name: gpus:k=1");
  EXPECT_EQ(refusal("gemm2d,n=20,m=3"),
            "workload 'gemm2d,n=20,m=3': write a colon after the name: gemm2d:n=20,m=3");
  EXPECT_EQ(refusal("gpus:k=1:memory=5data"),
            "workload 'gpus:k=1:memory=5data': separate keys with commas: k=1,memory=5data");
  EXPECT_EQ(refusal("eager:k=2,eviction=belady:buffer=ready"),
            "workload 'eager:k=2,eviction=belady:buffer=ready': separate keys with commas: "
            "eviction=belady,buffer=ready");
  EXPECT_EQ(
      refusal("n=5"),
      "workload 'n=5': options stand behind a name; write NAME:n=5 (`damocles list workloads`)");
  for (const std::string text : {"a.json", "x:routes=bus:once,peers=0-1:9GB/s", "file:path=a:b=c",
                                 "placed:placement=a:b=c", "a,b"}) {
    EXPECT_EQ(refusal(text), "no error");
  }
}

TEST(Spec, KeepsTheCommasOfAPath) {
  EXPECT_EQ(parsed("file:path=a,b/c,d.json,bytes=1MB").word("path"), "a,b/c,d.json");
  EXPECT_EQ(parsed("file:path=a,b/c,d.json,bytes=1MB").word("bytes"), "1MB");
  EXPECT_EQ(parsed("file:bytes=1MB,path=a,b").text(), "file:bytes=1MB,path=a,b");
  EXPECT_EQ(parsed("file:bytes=1MB,2").values(), std::vector<std::string>{"2"});
}

TEST(Spec, GivesAKeyToWhatHasNone) {
  EXPECT_EQ(parsed("file:a,b.rec,flops=1GF").keyed("path").text(), "file:path=a,b.rec,flops=1GF");
  EXPECT_EQ(parsed("file:path=x").keyed("path").text(), "file:path=x");
  EXPECT_EQ(parsed("file").keyed("path").text(), "file");
}

TEST(Spec, RefusesKeysThatAreNotAllowed) {
  const std::vector<std::string> keys{"beta", "tasks-left"};

  EXPECT_EQ(error_text([&] { parsed("two:bet=3").allow(keys); }),
            "workload 'two' has no option 'bet'; did you mean 'beta'? valid: beta, tasks-left");
  EXPECT_EQ(error_text([&] { parsed("two:x=3").allow({}); }),
            "workload 'two' has no option 'x'; valid: none");
  EXPECT_EQ(
      error_text([&] { parsed("two:3").allow(keys); }),
      "workload 'two:3': '3' is not key=value; did you mean beta=3? keys are: beta, tasks-left");
  EXPECT_EQ(error_text([&] { parsed("two:3").allow({}); }),
            "workload 'two:3': '3' is not key=value; keys are: none");
  EXPECT_EQ(error_text([&] { Spec::parse("two:3", "strategy").allow(keys); }),
            "strategy 'two:3': '3' is not key=value; keys are: beta, tasks-left");
  EXPECT_EQ(error_text([&] { parsed("two:3,4").allow({}, true); }), "no error");
  EXPECT_EQ(error_text([&] { parsed("two:beta=3").allow(keys); }), "no error");
}

TEST(Spec, ReadsNumbersWithinTheirRange) {
  EXPECT_EQ(parsed("x:a=-2.5e1").number("a", -100, 100), -25);
  EXPECT_EQ(parsed("x:a=0").number("a", 0, 0), 0);
  EXPECT_FALSE(std::signbit(parsed("x:a=-0").number("a", 0, 1).value()));
  EXPECT_FALSE(parsed("x").number("a", 0, 1));
  for (const std::string text : {"nan", "inf", "-inf", "1e400", "3x", "x", "+1", "0x1", "1.5"}) {
    EXPECT_EQ(error_text([&] { static_cast<void>(parsed("x:a=" + text).number("a", 0, 1)); }),
              "workload 'x:a=" + text + "': a must be a number from 0 to 1");
  }
  EXPECT_EQ(
      error_text([&] {
        static_cast<void>(parsed("x:a=-1").number("a", 0, std::numeric_limits<double>::max()));
      }),
      "workload 'x:a=-1': a must be a number, at least 0");
}

TEST(Spec, ReadsWholeNumbersWithinTheirRange) {
  EXPECT_EQ(parsed("x:a=18446744073709551615").integer("a", 0, ~std::uint64_t{0}),
            ~std::uint64_t{0});
  for (const std::string text :
       {"0", "11", "-1", "1.0", "1e1", "18446744073709551616", "99999999999999999999", "2 3"}) {
    EXPECT_EQ(error_text([&] { static_cast<void>(parsed("x:a=" + text).integer("a", 1, 10)); }),
              "workload 'x:a=" + text + "': a must be a whole number from 1 to 10");
  }
}

TEST(Spec, TakesAnotherNameOrValueWithTheRestUnchanged) {
  auto spec = parsed("DynamicOuter:beta=3").renamed("dynamic");
  spec.set("beta", "4");
  spec.set("more", "5");

  EXPECT_EQ(spec.text(), "dynamic:beta=4,more=5");
}

TEST(ParseNumber, TakesAllOfTheTextOrNothing) {
  EXPECT_EQ(parse_number("1e3"), 1000);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  for (const auto* text : {"", " ", "1 ", " 1", "1,", "nan", "inf", "1e999", "--1"}) {
    EXPECT_FALSE(parse_number(text)) << "'" << text << "'";
  }
}

TEST(ParseInteger, TakesNoSignAndNoOverflow) {
  EXPECT_EQ(parse_integer("007"), 7U);
  for (const auto* text : {"", "-1", "+1", "1.0", "18446744073709551616"}) {
    EXPECT_FALSE(parse_integer(text)) << "'" << text << "'";
  }
}

TEST(SplitSpecs, PartsAtCommasBetweenSpecsOnly) {
  using List = std::vector<std::string>;

  EXPECT_EQ(split_specs("random"), List{"random"});
  EXPECT_EQ(split_specs("random, sorted"), (List{"random", "sorted"}));
  EXPECT_EQ(split_specs("random,two:beta=3,tasks-left=4,sorted"),
            (List{"random", "two:beta=3,tasks-left=4", "sorted"}));
  EXPECT_EQ(split_specs("two:beta=3,two:beta=4"), (List{"two:beta=3", "two:beta=4"}));
  EXPECT_EQ(split_specs("speeds:80,100,uniform:p=2,lo=1,hi=2"),
            (List{"speeds:80,100", "uniform:p=2,lo=1,hi=2"}));
}

}  // namespace
}  // namespace damocles::spec_test
