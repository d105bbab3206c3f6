#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "models/platforms/heterogeneity.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/models/platforms/platform_file.hpp"
#include "tests/statistics.hpp"

namespace damocles::platform_test {
namespace {

std::vector<double> speeds(std::string_view text, std::uint64_t seed = 1,
                           std::uint64_t replicate = 0) {
  return Scenario::parse(text).draw(seed, replicate).speeds;
}

TEST(Platform, DividesSpeedsByTheirSum) {
  // 80 + 100 + 220 = 400.
  EXPECT_EQ((Platform{{80, 100, 220}, 0}).relative_speeds(),
            (std::vector<double>{0.2, 0.25, 0.55}));
}

TEST(Platform, NamesGpusApartFromCores) {
  const auto names = [](std::string_view text) {
    const Platform platform = Scenario::parse(text).draw(1, 0);
    std::vector<std::string> result;
    for (std::size_t p = 0; p < platform.processors(); ++p) result.push_back(platform.name(p));
    return result;
  };

  EXPECT_EQ(names("gpus:k=2,cpus=2,cpu_gflops=1"),
            (std::vector<std::string>{"GPU0", "GPU1", "CPU0", "CPU1"}));
  EXPECT_EQ(names("homogeneous:p=2"), (std::vector<std::string>{"P0", "P1"}));
}

TEST(Scenario, GivesHomogeneousProcessorsSpeedOne) {
  EXPECT_EQ(speeds("homogeneous:p=3"), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(Scenario::homogeneous(3).text(), "homogeneous:p=3");
  EXPECT_FALSE(Scenario::homogeneous(3).random());
}

TEST(Scenario, TakesSpeedsAsGiven) {
  const auto scenario = Scenario::parse("speeds:80,100.5,1e-15,1e15");

  EXPECT_EQ(scenario.processors(), 4U);
  EXPECT_EQ(scenario.draw(1, 2).speeds, (std::vector<double>{80, 100.5, 1e-15, 1e15}));
  EXPECT_EQ(scenario.draw(1, 2).drift, 0);
  EXPECT_FALSE(scenario.random());
}

TEST(Scenario, DrawsUniformSpeedsWithinTheirRange) {
  struct Case {
    std::string text;
    double lo, hi, drift;
  };
  for (const auto& [text, lo, hi, drift] :
       {Case{"uniform:p=5000,lo=10,hi=100", 10, 100, 0}, Case{"uniform:p=5000,lo=0,hi=2", 0, 2, 0},
        Case{"unif.1:p=5000", 80, 120, 0}, Case{"unif.2:p=5000", 50, 150, 0},
        Case{"dyn.5:p=5000", 80, 120, 0.05}, Case{"dyn.20:p=5000", 80, 120, 0.20}}) {
    const auto platform = Scenario::parse(text).draw(1, 0);
    std::vector<double> counts(20, 0);

    ASSERT_EQ(platform.processors(), 5000U);
    for (const double speed : platform.speeds) {
      ASSERT_GT(speed, lo);
      ASSERT_LE(speed, hi);
      ++counts[std::min<std::size_t>(19, static_cast<std::size_t>((speed - lo) / (hi - lo) * 20))];
    }
    EXPECT_LT(chi_square(counts), chi_square_bound(20)) << text;
    EXPECT_EQ(platform.drift, drift);
    EXPECT_TRUE(Scenario::parse(text).random());
  }
}

TEST(Scenario, DrawsFromSetsEachSpeedEquallyOften) {
  for (const auto& [text, set] : {std::pair{"set.3:p=6000", std::vector<double>{80, 100, 150}},
                                  {"set.5:p=6000", {40, 80, 100, 150, 200}}}) {
    std::vector<double> counts(set.size(), 0);

    for (const double speed : speeds(text)) {
      const auto at = std::find(set.begin(), set.end(), speed);
      ASSERT_NE(at, set.end()) << speed;
      ++counts[static_cast<std::size_t>(at - set.begin())];
    }

    EXPECT_LT(chi_square(counts), chi_square_bound(set.size())) << text;
    EXPECT_TRUE(Scenario::parse(text).random());
  }
}

TEST(Scenario, DrawsAFunctionOfSeedAndReplicate) {
  const std::string text = "uniform:p=9,lo=10,hi=100";

  EXPECT_EQ(speeds(text, 4, 5), speeds(text, 4, 5));
  EXPECT_NE(speeds(text, 4, 5), speeds(text, 4, 6));
  EXPECT_NE(speeds(text, 4, 5), speeds(text, 5, 5));
}

TEST(Scenario, DrawsOnceWhereADrawIsGiven) {
  const std::string text = "uniform:p=9,lo=10,hi=100,draw=";

  EXPECT_EQ(speeds(text + "3", 1, 0), speeds(text + "3", 8, 9));
  EXPECT_NE(speeds(text + "3", 1, 0), speeds(text + "4", 1, 0));
  EXPECT_FALSE(Scenario::parse(text + "3").random());
  EXPECT_FALSE(Scenario::parse("set.3:p=2,draw=0").random());
  EXPECT_EQ(Scenario::parse("dyn.20:p=2,draw=0").draw(1, 2).drift, 0.20);
}

TEST(Scenario, HasOneSpeedWhereLowAndHighAreEqual) {
  EXPECT_EQ(speeds("uniform:p=3,lo=7,hi=7"), (std::vector<double>{7, 7, 7}));
  EXPECT_FALSE(Scenario::parse("uniform:p=3,lo=7,hi=7").random());
}

TEST(Scenario, KeepsItsText) {
  EXPECT_EQ(Scenario::parse("uniform: p=2, lo=1, hi=2").text(), "uniform:p=2,lo=1,hi=2");
}

TEST(Scenario, ParsesEveryFormItLists) {
  for (const auto& [form, meaning] : Scenario::forms()) {
    const bool names_files = form.starts_with("FILE") || form.find("path=") != std::string::npos;
    if (names_files) continue;
    std::string text = form;
    for (const auto& [letter, value] : {std::pair{"P", "2"}, {"L", "1"}, {"H", "2"}, {"K", "2"}}) {
      const auto at = text.find(letter);
      if (at != std::string::npos) text.replace(at, 1, value);
    }
    EXPECT_GE(Scenario::parse(text).processors(), 2U) << text;
    EXPECT_FALSE(meaning.empty());
  }
}

TEST(Scenario, RefusesSpeedsThatAreNotPositiveNumbers) {
  for (const std::string speed : {"0", "-1", "nan", "inf", "1e-16", "1e16", "fast", "80x"}) {
    EXPECT_EQ(refusal("speeds:100," + speed),
              "platform 'speeds:100," + speed + "': '" + speed +
                  "' must be a number of tasks per second from 1e-15 to 1e+15");
  }
  EXPECT_EQ(refusal("speeds"),
            "platform 'speeds': needs at least one speed, as in speeds:80,100,150, or a file, as "
            "speeds:@FILE");
}

TEST(Scenario, RefusesWrongNumbersOfProcessors) {
  EXPECT_EQ(refusal("homogeneous"),
            "platform 'homogeneous': needs p, the number of processors, as in homogeneous:p=20");
  for (const std::string p : {"0", "-2", "1.5", "1000001"}) {
    EXPECT_EQ(refusal("unif.1:p=" + p),
              "platform 'unif.1:p=" + p + "': p must be a whole number from 1 to 1000000");
  }
}

TEST(Scenario, RefusesWrongRanges) {
  EXPECT_EQ(refusal("uniform:p=2,lo=1"),
            "platform 'uniform:p=2,lo=1': needs lo and hi, as in uniform:p=20,lo=10,hi=100, "
            "or mean and spread");
  EXPECT_EQ(refusal("uniform:p=2,lo=2,hi=1"),
            "platform 'uniform:p=2,lo=2,hi=1': lo=2 is above hi=1; give lo <= hi");
  EXPECT_EQ(refusal("uniform:p=2,lo=0,hi=0"),
            "platform 'uniform:p=2,lo=0,hi=0': hi=0 is too small; give a speed of at least 1e-15");
  EXPECT_NE(refusal("uniform:p=2,lo=nan,hi=1"), "no error");
  EXPECT_NE(refusal("uniform:p=2,lo=-1,hi=1"), "no error");
}

TEST(Scenario, DrawsAroundAMean) {
  // 100 (1 - 0.4) = 60 and 100 (1 + 0.4) = 140.
  EXPECT_EQ(speeds("uniform:p=37,mean=100,spread=0.4"), speeds("uniform:p=37,lo=60,hi=140"));
  EXPECT_EQ(speeds("uniform:p=2,mean=7,spread=0"), (std::vector<double>{7, 7}));
  EXPECT_EQ(speeds("uniform:p=9,mean=2,spread=1,draw=4"), speeds("uniform:p=9,lo=0,hi=4,draw=4"));
  EXPECT_FALSE(Scenario::parse("uniform:p=9,mean=2,spread=1,draw=4").random());
}

TEST(Scenario, RefusesHalfAMeanAndTwoRanges) {
  EXPECT_EQ(refusal("uniform:p=2,mean=100"),
            "platform 'uniform:p=2,mean=100': needs mean and spread, as in "
            "uniform:p=20,mean=100,spread=0.4 for [60, 140]");
  EXPECT_EQ(refusal("uniform:p=2,mean=100,lo=1"),
            "platform 'uniform:p=2,mean=100,lo=1': give lo and hi, or mean and spread");
  EXPECT_EQ(refusal("uniform:p=2,mean=100,spread=1.5"),
            "platform 'uniform:p=2,mean=100,spread=1.5': spread must be a number from 0 to 1");
  EXPECT_NE(refusal("uniform:p=2,mean=0,spread=0.5"), "no error");
}

TEST(Heterogeneity, IsTheHalfWidthOfTheSpeedsOverTheirMiddle) {
  EXPECT_EQ(heterogeneity({60, 100, 140}), 0.4);  // (140 - 60) / (140 + 60)
  EXPECT_EQ(heterogeneity({7, 7}), std::nullopt);
  EXPECT_EQ(heterogeneity({7}), std::nullopt);
  EXPECT_EQ(heterogeneity({}), std::nullopt);
  // Of 5000 draws the fastest and the slowest lie within 1 % of the range from its ends, but for a
  // probability of 2 * 0.99^5000 < 1e-21.
  EXPECT_NEAR(*heterogeneity(speeds("uniform:p=5000,mean=100,spread=0.4")), 0.4, 0.01);
}

using SpeedFile = PlatformFile;

TEST_F(SpeedFile, HoldsSpeedsBetweenBlanksCommasAndLineEnds) {
  const std::string path = write("# two fast ones\n100, 150\r\n\n 80 # slow\n1e2");
  const Scenario scenario = Scenario::parse("speeds:@" + path);

  EXPECT_EQ(scenario.draw(1, 0).speeds, (std::vector<double>{100, 150, 80, 100}));
  EXPECT_EQ(scenario.processors(), 4U);
  EXPECT_EQ(scenario.text(), "speeds:@" + path);
  ASSERT_TRUE(scenario.source());
  EXPECT_EQ(scenario.source()->path, path);
  EXPECT_EQ(scenario.source()->digest, digest_of_file(path));
}

TEST_F(SpeedFile, IsRefusedWithFileAndLine) {
  const auto refused = [&](const std::string& text) {
    const std::string path = write(text);
    std::string message = refusal("speeds:@" + path);
    const auto at = message.find(path);
    return at == std::string::npos ? message : message.replace(at, path.size(), "FILE");
  };
  EXPECT_EQ(refused("100\n# none\n80 fast\n"),
            "speed file 'FILE', line 3: 'fast' must be a number of tasks per second from 1e-15 to "
            "1e+15");
  EXPECT_EQ(refused("100\n-1"),
            "speed file 'FILE', line 2: '-1' must be a number of tasks per second from 1e-15 to "
            "1e+15");
  EXPECT_EQ(refused("# none\n"),
            "speed file 'FILE' has no speeds; give a text file with one speed a line");
  EXPECT_EQ(refusal("speeds:@nowhere"),
            "cannot open speed file 'nowhere': no such file; check the path, or give a text file "
            "with one speed a line");
  EXPECT_EQ(refusal("speeds:80,@nowhere"),
            "platform 'speeds:80,@nowhere': give numbers, or one file, as speeds:@FILE");
}

TEST(Scenario, RefusesUnknownNamesAndKeys) {
  EXPECT_EQ(refusal("homogenous:p=2"),
            "unknown platform 'homogenous'; did you mean 'homogeneous'? "
            "`damocles list platforms` shows all 12");
  EXPECT_EQ(refusal("h200:k=1"),
            "unknown platform 'h200'; give it as a preset: gpus:k=1,preset=h200");
  EXPECT_EQ(refusal("homogeneous:p=2,draw=1"),
            "platform 'homogeneous' has no option 'draw'; valid: p");
  EXPECT_EQ(refusal("homogeneous:20"),
            "platform 'homogeneous:20': '20' is not key=value; did you mean p=20? keys are: p");
  EXPECT_EQ(refusal("speeds:p=2"), "platform 'speeds' has no option 'p'; valid: none");
  EXPECT_EQ(refusal("speeds:file=a.txt"),
            "platform 'speeds:file=a.txt': give the file as speeds:@FILE");
}

TEST_F(PlatformFile, ListsProcessorsWithSpeedAndCount) {
  const auto path =
      write("[[processors]]\nspeed = 100\n\n[[processors]]\nspeed = 2.5\ncount = 3\n");

  const auto scenario = Scenario::parse(path);

  EXPECT_EQ(scenario.draw(1, 0).speeds, (std::vector<double>{100, 2.5, 2.5, 2.5}));
  EXPECT_EQ(scenario.text(), path);
  EXPECT_FALSE(scenario.random());
}

TEST_F(PlatformFile, OfAnotherEndingIsToldHowToNameIt) {
  const auto path = write("80\n100\n");
  const std::string renamed = path.substr(0, path.size() - 5) + ".txt";
  std::filesystem::rename(path, renamed);

  EXPECT_TRUE(refusal(renamed).ends_with(fmt::format(
      "is a file: a file of speeds, one a line, is speeds:@{}; a platform file ends in .toml",
      renamed)));
  EXPECT_TRUE(file_refusal("speeds = [1, 2]\n").ends_with("text file and give speeds:@FILE"));
}

TEST_F(PlatformFile, IsRefusedWhereItIsMissing) {
  EXPECT_EQ(
      refusal("no/such.toml"),
      "cannot open platform file 'no/such.toml': no such file; check the path, or give a TOML file with [[processors]] or [[gpus]]");
}

TEST_F(PlatformFile, IsRefusedWithTheLineOfASyntaxError) {
  const auto message = file_refusal("[[processors]]\nspeed = 1\nspeed 2\n");

  EXPECT_TRUE(message.starts_with("platform file 'FILE', line 3: ")) << message;
}

TEST_F(PlatformFile, IsRefusedWithTheLineOfAnUnknownKey) {
  EXPECT_EQ(
      file_refusal("[[processors]]\nspeed = 1\ncout = 2\n"),
      "unknown key in platform file 'FILE', line 3: 'cout'; did you mean 'count'? valid: speed, count");
  EXPECT_EQ(
      file_refusal("\nprocesors = 3\n"),
      "unknown key in platform file 'FILE', line 2: 'procesors'; did you mean 'processors'? valid: processors, bus, buses, gpus, cpus, links, routes");
}

TEST_F(PlatformFile, IsRefusedWithoutProcessors) {
  for (const auto* text : {"", "processors = 3\n", "processors = []\n", "processors = [1, 2]\n"}) {
    EXPECT_EQ(
        file_refusal(text),
        "platform file 'FILE' has neither [[processors]] nor [[gpus]]; write [[processors]] with speed = 100, or [bus] and [[gpus]]")
        << text;
  }
}

TEST_F(PlatformFile, IsRefusedWithTheLineOfASpeedThatIsNone) {
  for (const std::string speed : {"0", "-1.0", "\"fast\"", "nan", "inf", "1e16"}) {
    EXPECT_EQ(
        file_refusal("[[processors]]\nspeed = 1\n[[processors]]\nspeed = " + speed + "\n"),
        "platform file 'FILE', line 3: speed must be a number of tasks per second from 1e-15 to 1e+15")
        << speed;
  }
  EXPECT_EQ(file_refusal("[[processors]]\ncount = 2\n"),
            "platform file 'FILE', line 1: [[processors]] has no speed; write speed = 100");
}

TEST_F(PlatformFile, IsRefusedWithTheLineOfACountThatIsNone) {
  for (const std::string count : {"0", "-1", "1.5", "\"two\"", "1000001"}) {
    EXPECT_EQ(file_refusal("[[processors]]\nspeed = 1\ncount = " + count + "\n"),
              "platform file 'FILE', line 1: count must be a whole number from 1 to 1000000")
        << count;
  }
  const std::string half = "[[processors]]\nspeed = 1\ncount = 600000\n";
  EXPECT_EQ(file_refusal(half + half),
            "platform file 'FILE', line 4: more than 1000000 processors");
}

}  // namespace
}  // namespace damocles::platform_test
