#include "experiments/commands/sweep_request.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::sweep_request_test {
namespace {

using Words = std::vector<std::string>;

SweepWords gemm_on_gpus(Words vary) {
  return {.workload = "gemm2d:n=5", .platform = "gpus:k=1", .vary = std::move(vary)};
}

std::string refusal(const SweepWords& words) {
  return error_text([&] { (void)sweep_of_words(words); });
}

TEST(SweepWords, PutAVariableWhereItsKeyBelongs) {
  const SweepRequest request = sweep_of_words(gemm_on_gpus({"memory=5data:7data", "n=4,6"}));

  EXPECT_EQ(request.workloads, Words{"gemm2d:n={n}"});
  EXPECT_EQ(request.platforms, Words{"gpus:k=1,memory={memory}"});
  EXPECT_EQ(request.varied, (Words{"memory", "n"}));
  EXPECT_EQ(request.points.count(), 6U);
  EXPECT_EQ(request.strategies, Words{""});
  EXPECT_EQ(request.models, Words{});
}

TEST(SweepWords, PreferTheSpecThatHasTheKeyAlready) {
  EXPECT_EQ(sweep_of_words(gemm_on_gpus({"k=1,2"})).platforms, Words{"gpus:k={k}"});
  SweepWords words = gemm_on_gpus({"k=1,2"});
  words.platform = "gpus";
  EXPECT_EQ(refusal(words),
            "--vary k: workload 'gemm2d:n=5' and platform 'gpus' both have an option k; write "
            "--vary workload.k=... or --vary platform.k=...");
  words.vary = {"workload.k=64,128"};
  EXPECT_EQ(sweep_of_words(words).workloads, Words{"gemm2d:n=5,k={workload.k}"});
  words.vary = {"platform.k=2"};
  EXPECT_EQ(sweep_of_words(words).platforms, Words{"gpus:k={platform.k}"});
}

TEST(SweepWords, LeaveAKeyThatIsWrittenInBraces) {
  SweepWords words{
      .workload = "outer:n={n}", .platform = "homogeneous:p=2", .vary = {"n=4", "beta=1,2"}};
  words.strategies = "random,dynamic-2phases:beta={beta}";
  const SweepRequest request = sweep_of_words(words);

  EXPECT_EQ(request.workloads, Words{"outer:n={n}"});
  EXPECT_EQ(request.strategies, Words{words.strategies});
  EXPECT_EQ(request.points.count(), 2U);
}

TEST(SweepWords, AreRefusedWithWhatToWrite) {
  EXPECT_EQ(refusal(gemm_on_gpus({})),
            "nothing to vary; add --vary KEY=VALUES, as --vary memory=5data:80data, or use "
            "`damocles simulate`");
  EXPECT_EQ(refusal(gemm_on_gpus({"memory"})),
            "--vary 'memory': write KEY=VALUES, as --vary memory=5data:80data or --vary n=20,40");
  EXPECT_EQ(refusal(gemm_on_gpus({"n=4,"})),
            "--vary 'n=4,': a value is empty; write n=VALUE,VALUE");
  EXPECT_EQ(refusal(gemm_on_gpus({"n=4", "n=5"})),
            "--vary n is given twice; write all values in one, as --vary n=VALUE,VALUE");
  EXPECT_EQ(refusal(gemm_on_gpus({"n=9:1:2"})),
            "--vary n: range '9:1:2': the step leads away from its end; write first:last:step, as "
            "10:300:10");
  EXPECT_TRUE(refusal(gemm_on_gpus({"memry=5data"}))
                  .starts_with("--vary memry: platform 'gpus' has no option 'memry'; did you mean "
                               "'memory'?"));
  EXPECT_EQ(refusal(gemm_on_gpus({"quux=5"})),
            "--vary quux: neither workload 'gemm2d:n=5' nor platform 'gpus:k=1' has an option "
            "quux; for one of a strategy, write {quux} in --strategies, as --strategies "
            "NAME:quux={quux}");
  EXPECT_TRUE(refusal(gemm_on_gpus({"platform.n=5"}))
                  .starts_with("--vary platform.n: platform 'gpus' has no option 'n'"));
}

TEST(SweepWords, AreRefusedWhereTheSpecsAreWrong) {
  SweepWords words = gemm_on_gpus({"memory=5data"});
  words.workload = "gem2d:n=5";
  EXPECT_TRUE(refusal(words).starts_with("unknown workload 'gem2d'; did you mean 'gemm2d'?"));
  words.workload = "gemm2d:n=5,m={m}";
  EXPECT_EQ(refusal(words), "'gemm2d:n=5,m={m}': nothing says what {m} is; add --vary m=VALUES");
  words.workload = "gemm2d:n=5";
  words.platform = "gpus:kk=1";
  EXPECT_TRUE(refusal(words).starts_with("platform 'gpus' has no option 'kk'"));
  words.platform = "lab.toml";
  EXPECT_TRUE(refusal(words).starts_with("cannot open platform file 'lab.toml': no such file"));
}

/// The request of a sweep file with this text.
SweepRequest of_file(const std::string& text) {
  const Folder folder;
  const auto path = folder / "s.toml";
  std::ofstream(path) << text;
  return read_sweep_file(path.string());
}

constexpr const char* on_speeds =
    "workload = 'outer:n={n}'\nplatform = 'uniform:p={p},mean={mean},spread=0.5'\n";

TEST(SweepFile, ZipsListsThatMoveTogether) {
  SweepRequest request = of_file(std::string(on_speeds) +
                                 "[vary]\nn = [4, 5]\n[zip]\np = '10:30:10'\nmean = [3, 2, 1]\n");
  std::string seen;
  do {
    const Values values = request.points.values();
    seen += values.at("n") + " " + values.at("p") + " " + values.at("mean") + "; ";
  } while (request.points.next());

  EXPECT_EQ(seen, "4 10 3; 4 20 2; 4 30 1; 5 10 3; 5 20 2; 5 30 1; ");
}

TEST(SweepFile, MayHaveSeveralGroupsOfLists) {
  const std::string lists = "[[zip]]\np = [1, 2]\nmean = [3, 4]\n[[zip]]\nn = [4, 5]\n";
  const SweepRequest request = of_file(on_speeds + lists);

  EXPECT_EQ(request.points.count(), 4U);
}

TEST(SweepFile, RefusesListsThatDoNotMatch) {
  const auto refused = [](const std::string& rest) {
    const std::string text = error_text([&] { (void)of_file(on_speeds + rest); });
    return text.substr(text.find("line"));
  };
  EXPECT_EQ(refused("[vary]\nn = 4\n[zip]\nmean = [1, 2]\np = [1, 2, 3]\n"),
            "line 7: p: 3 values, but mean has 2; lists under [zip] must be equally long");
  EXPECT_EQ(refused("[vary]\nn = 4\np = [4, 5]\n[zip]\nmean = [1, 2]\np = [1, 2]\n"),
            "line 8: p: it is varied twice; keep it under [vary] or in one [zip]");
  EXPECT_EQ(refused("zip = 3\n"),
            "line 3: zip: write a table [zip] of lists, or several as [[zip]]");
  EXPECT_EQ(refused("[vary]\nn = 4\np = 2\nmean = 1\n[zip]\nq = 1\n"),
            "line 8: q: no workload, platform, strategy or model has {q}; use it or take it out");
}

}  // namespace
}  // namespace damocles::sweep_request_test
