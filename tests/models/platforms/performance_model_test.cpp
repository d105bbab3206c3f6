// Times of tasks as StarPU keeps them.

#include "models/platforms/performance_model.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "models/error.hpp"
#include "tests/error_text.hpp"

namespace damocles::performance_model_test {
namespace {

const std::string no_line = "0 0 0 0 nan nan 0 0 0\n";
const std::string no_power = "nan nan nan\n";

/// One implementation of version 45: number of entries, regressions, history.
std::string implementation(int entries, const std::string& history,
                           const std::string& line = no_line, const std::string& power = no_power) {
  return std::to_string(entries) + "\n# sumlnx\n" + line + "# a b c\n" + power + "0\n" + history;
}

/// One core of a device of type 0 (CPU) or 1 (CUDA), and its implementations.
std::string device(int type, int id, int implementations, const std::string& text) {
  std::ostringstream result;
  result << "####\n1\n# type\n" << type << "\n" << id << "\n1\n" << implementations << "\n" << text;
  return result.str();
}

PerformanceModel model(const std::string& text) {
  std::istringstream in(text);
  return PerformanceModel::read(in, "x");
}

double us(const PerformanceModel& of, std::string_view where, TaskSize size) {
  const auto time = of.time(where, size);
  return time ? time->mean_s * 1e6 : -1;
}

TEST(PerformanceModel, HasTheHistoryOfEachDevice) {
  const auto given = model("# Performance Model Version\n45\n\n2\n" +
                           device(1, 2, 1,
                                  implementation(2,
                                                 "0000000a 1200 2e3 50 2.5 100 200 16\n"
                                                 "0000000b 4800 16e3 300 6 100 200 16\n")) +
                           device(0, 0, 1, implementation(1, "a 1200 2e3 900 1 1 1 16\n")));

  EXPECT_EQ(given.architectures(), (std::vector<std::string>{"cpu0", "cuda2"}));
  EXPECT_TRUE(given.has("cuda"));
  EXPECT_TRUE(given.has("cuda2"));
  EXPECT_FALSE(given.has("cuda0"));
  EXPECT_FALSE(given.has(""));
  EXPECT_DOUBLE_EQ(given.time("cuda", {1200, 2000})->mean_s, 50e-6);
  EXPECT_DOUBLE_EQ(given.time("cuda2", {1200, 2000})->deviation_s, 2.5e-6);
  EXPECT_DOUBLE_EQ(us(given, "cuda2", {4800, 0}), 300);
  EXPECT_DOUBLE_EQ(us(given, "cpu", {1200, 0}), 900);
  EXPECT_EQ(us(given, "cpu", {4800, 0}), -1);
  EXPECT_EQ(us(given, "opencl", {1200, 0}), -1);
  EXPECT_EQ(given.sizes("cuda"), (std::vector<std::uint64_t>{1200, 4800}));
}

TEST(PerformanceModel, IsTheSameInVersion44AndWithoutFlops) {
  const auto given = model("44\n1\n1\n0\n0\n1\n1\n2\n" + no_line + no_power +
                           "a 1200 50 2.5 100 200 16\n"
                           "b 4800 nan 60 2.5 100 200 16\n");
  EXPECT_DOUBLE_EQ(us(given, "cpu0", {1200, 7}), 50);
  EXPECT_DOUBLE_EQ(us(given, "cpu0", {4800, 7}), 60);
}

TEST(PerformanceModel, TakesOfSeveralEntriesTheNearestInFlopsThenTheMostOftenMeasured) {
  const auto given = model("45\n1\n" + device(0, 0, 1,
                                              implementation(5,
                                                             "1 1200 1000 10 1 1 1 20\n"
                                                             "2 1200 3000 30 1 1 1 20\n"
                                                             "3 1200 3000 31 1 1 1 21\n"
                                                             "4 1200 2100 0 0 0 0 0\n"
                                                             "5 4800 2100 77 0 0 0 9\n")));
  EXPECT_DOUBLE_EQ(us(given, "cpu0", {1200, 1900}), 10);
  EXPECT_DOUBLE_EQ(us(given, "cpu0", {1200, 2100}), 31);  // the fourth was never measured
}

TEST(PerformanceModel, FollowsARegressionNearTheSizesItWasMadeFrom) {
  const auto regression = [](const std::string& line, const std::string& power) {
    return model("45\n1\n" +
                 device(0, 0, 1, implementation(1, "1 500 0 7 0 7 49 1\n", line, power)));
  };
  // alpha n^beta and a n^b + c [us], both from sizes 100 to 1000.
  const auto both = regression("0 0 0 0 0.5 2 10 100 1000\n", "2 1 3\n");
  EXPECT_DOUBLE_EQ(us(both, "cpu0", {200, 0}), 403);
  EXPECT_EQ(both.time("cpu0", {200, 0})->deviation_s, 0);
  EXPECT_DOUBLE_EQ(us(both, "cpu0", {500, 0}), 7);  // as measured
  EXPECT_DOUBLE_EQ(us(both, "cpu0", {90, 0}), 183);
  EXPECT_EQ(us(both, "cpu0", {89, 0}), -1);
  EXPECT_DOUBLE_EQ(us(both, "cpu0", {1100, 0}), 2203);
  EXPECT_EQ(us(both, "cpu0", {1101, 0}), -1);
  const auto line = regression("0 0 0 0 0.5 2 10 100 1000\n", no_power);
  EXPECT_DOUBLE_EQ(us(line, "cpu0", {200, 0}), 20'000);
  // Below 0, where it has no meaning, the other one.
  const auto below = regression("0 0 0 0 0.5 2 10 100 1000\n", "2 1 -1e4\n");
  EXPECT_DOUBLE_EQ(us(below, "cpu0", {200, 0}), 20'000);
  const auto few = regression("0 0 0 0 0.5 2 9 100 1000\n", "2 1 3\n");
  EXPECT_EQ(us(few, "cpu0", {200, 0}), -1);
  const auto narrow = regression("0 0 0 0 0.5 2 10 900 1000\n", "2 1 3\n");
  EXPECT_EQ(us(narrow, "cpu0", {950, 0}), -1);
}

TEST(PerformanceModel, TakesTheFastestImplementationOfTheFirstDeviceThatHasATime) {
  const std::string slow = implementation(1, "1 1200 0 30 1 1 1 20\n");
  const std::string fast = implementation(1, "1 1200 0 10 1 1 1 20\n");
  const std::string other = implementation(1, "1 4800 0 20 1 1 1 20\n");
  const auto given = model("45\n3\n" + device(1, 2, 1, implementation(1, "1 1200 0 1 1 1 1 20\n")) +
                           device(1, 1, 2, slow + fast) + device(1, 0, 1, other));
  EXPECT_DOUBLE_EQ(us(given, "cuda1", {1200, 0}), 10);
  EXPECT_DOUBLE_EQ(us(given, "cuda", {1200, 0}), 10);
  EXPECT_DOUBLE_EQ(us(given, "cuda", {4800, 0}), 20);
}

TEST(PerformanceModel, TakesTheFirstOfImplementationsThatAreEquallyFast) {
  const std::string steady = implementation(1, "1 1200 0 10 1 1 1 20\n");
  const std::string noisy = implementation(1, "1 1200 0 10 3 1 1 20\n");
  for (const bool steady_first : {true, false}) {
    const auto given =
        model("45\n1\n" + device(1, 0, 2, steady_first ? steady + noisy : noisy + steady));
    const auto time = given.time("cuda", {1200, 0});
    ASSERT_TRUE(time);
    EXPECT_DOUBLE_EQ(time->mean_s, 10e-6);
    EXPECT_DOUBLE_EQ(time->deviation_s, steady_first ? 1e-6 : 3e-6);
  }
}

TEST(PerformanceModel, NamesSeveralCoresAndDevicesAsOne) {
  const std::string rest = "1\n" + implementation(0, "");
  const auto given = model("45\n2\n1\n0\n0\n4\n" + rest + "2\n0\n0\n1\n1\n3\n1\n" + rest);
  EXPECT_EQ(given.architectures(), (std::vector<std::string>{"cpu0_cores4", "cpu0_cuda3"}));
  EXPECT_FALSE(given.has("cpu"));
  EXPECT_TRUE(given.has("cpu0_cores4"));
}

TEST(PerformanceModel, ReadsTheLineOfAMultipleRegressionThatAHeadingFollows) {
  const auto given = model("45\n1\n1\n0\n0\n1\n1\n1\n" + no_line + no_power +
                           "# n\tintercept\t\n1\tnan# hash size\na 1200 0 5 1 1 1 20\n");
  EXPECT_DOUBLE_EQ(us(given, "cpu0", {1200, 0}), 5);
}

TEST(PerformanceModel, MayHaveNothing) {
  const auto given = model("45\n0\n");
  EXPECT_TRUE(given.architectures().empty());
  EXPECT_FALSE(given.has("cpu"));
}

TEST(PerformanceModel, RefusesWhatIsNone) {
  const auto refusal = [](const std::string& text) {
    return error_text([&] { static_cast<void>(model(text)); });
  };
  EXPECT_EQ(refusal(""), "file 'x': the file ends before the version of the format");
  EXPECT_EQ(refusal("# empty\n"),
            "file 'x', line 1: the file ends before the version of the format");
  EXPECT_EQ(refusal("42\n"),
            "file 'x', line 1: version 42 of StarPU's performance models; give 44 or 45");
  EXPECT_EQ(
      refusal("<xml>\n"),
      "file 'x', line 1: the version of the format is '<xml>'; write a whole number from 0 to 4294967295");
  EXPECT_EQ(refusal("45 1\n"),
            "file 'x', line 1: '45 1' is not the version of the format; write one whole number");
  EXPECT_EQ(refusal("45\n2\n" + device(0, 0, 1, implementation(0, ""))),
            "file 'x', line 15: the file ends before the number of devices");
  EXPECT_EQ(refusal("45\n0\n1\n"),
            "file 'x', line 3: more text after the last combination; correct their number");
  const auto entry = [&](const std::string& text) {
    return refusal("45\n1\n" + device(0, 0, 1, implementation(1, text)));
  };
  EXPECT_EQ(entry("1 2 3\n"),
            "file 'x', line 16: '1 2 3' is not an entry of the history; write its 8 values");
  EXPECT_EQ(entry("1 1200 0 -5 1 1 1 20\n"),
            "file 'x', line 16: the mean time is '-5'; write a number from 0 to 1e+12");
  EXPECT_EQ(entry("1 1200 0 5 inf 1 1 20\n"),
            "file 'x', line 16: the deviation is 'inf'; write a number from 0 to 1e+12");
  EXPECT_EQ(entry("1 x 0 5 1 1 1 20\n").substr(0, 36), "file 'x', line 16: the size is 'x'; ");
  EXPECT_EQ(entry(""), "file 'x', line 15: the file ends before an entry of the history");
  EXPECT_EQ(refusal("45\n1\n" + device(0, 0, 1, implementation(0, "", "1 2 3\n"))),
            "file 'x', line 12: '1 2 3' is not a linear regression; write its 9 numbers");
  EXPECT_EQ(
      refusal("45\n1\n" + device(0, 0, 1, implementation(0, "", no_line, "1 2 x\n"))),
      "file 'x', line 14: '1 2 x' is not the coefficients of a regression; write numbers or nan");
}

TEST(PerformanceModel, OfTheExampleHasItsTimesAndItsDigest) {
  const std::string path = DAMOCLES_SOURCE "/docs/examples/gemm.perfmodel";
  const auto given = PerformanceModel::of_file(path);
  EXPECT_EQ(given.file().path, path);
  EXPECT_EQ(given.file().digest, digest_of_file(path));
  EXPECT_DOUBLE_EQ(us(given, "cuda", {11'059'200, 1.8e9}), 900);
  EXPECT_DOUBLE_EQ(us(given, "cpu", {1'228'800, 6e7}), 3400);
}

TEST(PerformanceModel, TakesTheEntryOfTheTasksFootprint) {
  const auto given = model("45\n1\n" + device(1, 0, 1,
                                              implementation(3,
                                                             "9a5c4e6a 1200 0 190 1 1 1 100\n"
                                                             "11111111 1200 0 9000 1 1 1 5000\n"
                                                             "2 4800 0 77 1 1 1 20\n")));
  EXPECT_DOUBLE_EQ(us(given, "cuda0", {1200, 5, 0x9a5c4e6aU}), 190);
  EXPECT_DOUBLE_EQ(us(given, "cuda0", {1200, 5, 0x11111111U}), 9000);
  EXPECT_DOUBLE_EQ(us(given, "cuda0", {1200, 5, 2U}), 77);
  // Where the task's footprint is not known, or not in the history: by size, the most measured.
  EXPECT_DOUBLE_EQ(us(given, "cuda0", {1200, 5}), 9000);
  EXPECT_DOUBLE_EQ(us(given, "cuda0", {1200, 5, 3U}), 9000);
  EXPECT_EQ(us(given, "cuda0", {1201, 5, 3U}), -1);
  EXPECT_EQ(error_text([] {
              static_cast<void>(
                  model("45\n1\n" + device(0, 0, 1, implementation(1, "xyz 1 0 1 1 1 1 1\n"))));
            }),
            "file 'x', line 16: the footprint is 'xyz'; write up to 8 hexadecimal digits");
}

TEST(PerformanceModel, KnowsHipDevices) {
  const auto given =
      model("45\n2\n" + device(7, 1, 1, implementation(1, "1 1200 0 190 1 1 1 9\n")) +
            device(4, 0, 1, implementation(0, "")));
  EXPECT_EQ(given.architectures(), (std::vector<std::string>{"hip1", "type4_0"}));
  EXPECT_DOUBLE_EQ(us(given, "hip", {1200, 0}), 190);
}

}  // namespace
}  // namespace damocles::performance_model_test
