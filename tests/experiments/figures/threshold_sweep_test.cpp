// HPDC'14's figures over the threshold, judged on a made-up valley: 1.8 + 0.03 (beta - 4)^2.

#include "experiments/figures/threshold_sweep.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

namespace damocles::threshold_sweep_test {
namespace {

using Curve = std::function<double(double beta)>;

const char* const machine = "homogeneous:p=4";

double valley(double beta) { return 1.8 + 0.03 * (beta - 4) * (beta - 4); }

/// 2 % off, 3 % at beta = 5, 10 % below 3 and above 6.
double analysis(double beta) {
  const double off = beta < 3 || beta > 6 ? 1.1 : beta == 5 ? 1.03 : 1.02;
  return off * valley(beta);
}

class Sweep : public testing::Test {
 protected:
  void add(const std::string& strategy, const std::string& model, double ratio) {
    Record row;
    row.strategy = strategy;
    row.model = model;
    row.platform = machine;
    row.volume_ratio = ratio;
    rows_.push_back(row);
  }

  /// 20 runs, 0.001 apart.
  void run(const std::string& strategy, double mean) {
    for (int i = 0; i < 20; ++i) add(strategy, "", mean + 0.001 * (i - 9.5));
  }

  Sweep() {
    for (int i = 1; i <= 36; ++i) {
      const std::string strategy = fmt::format("dynamic-2phases:beta={}", 0.25 * i);
      run(strategy, valley(0.25 * i));
      add(strategy, "paper", analysis(0.25 * i));
    }
  }

  Answer ask(const std::function<Answer(const SweepRun&)>& check) {
    const Volumes volumes(rows_);
    return check({sweep_, volumes, 1});
  }

  std::vector<Record> rows_;
  ThresholdSweep sweep_{"outer:n=20", machine, {"paper"}};
};

void expect(const Answer& answer, Verdict verdict, const std::string& asked,
            const std::string& ours) {
  EXPECT_EQ(answer.verdict, verdict) << to_string(answer.verdict);
  EXPECT_EQ(answer.asked, asked);
  EXPECT_EQ(answer.ours, ours);
}

TEST_F(Sweep, IsAskedTwentyRunsAPoint) {
  const auto experiments = sweep_.experiments(3);

  ASSERT_EQ(experiments.size(), 2U);
  EXPECT_EQ(experiments[0].strategies.size(), 36U);
  EXPECT_EQ(experiments[0].strategies.front(), "dynamic-2phases:beta=0.25");
  EXPECT_EQ(experiments[0].strategies.back(), "dynamic-2phases:beta=9");
  EXPECT_EQ(experiments[0].models, (std::vector<std::string>{"paper"}));
  EXPECT_EQ(experiments[1].strategies, (std::vector<std::string>{"random", "sorted", "dynamic"}));
  EXPECT_TRUE(experiments[1].models.empty());
  for (const auto& experiment : experiments) {
    EXPECT_EQ(experiment.replicates, 20U);
    EXPECT_EQ(experiment.seed, 3U);
    EXPECT_TRUE(experiment.simulate);
  }
  EXPECT_EQ(sweep_.setting(),
            "outer:n=20, homogeneous:p=4, beta = 0.25, 0.5, ..., 9, 20 runs per point");
}

TEST_F(Sweep, HasAValleyOnePercentDeep) {
  const std::string asked =
      "the runs at the paper's beta load at most 1 % more than at the best of the sweep";

  // Between 4.75, at +0.016875, and 5, at +0.03: 0.08 of the way to 0.017925, 0.996 % of 1.8.
  expect(ask(lies_in_the_valley(4.77)), Verdict::confirmed, asked,
         "at beta 4.7700 1.00 +- 0.00 % more (1.800 +- 0.003 at beta=4, sd 0.006)");
  // 0.12 of the way: 0.01845, 1.025 %.
  expect(ask(lies_in_the_valley(4.78)), Verdict::refuted, asked,
         "at beta 4.7800 1.03 +- 0.00 % more (1.800 +- 0.003 at beta=4, sd 0.006)");
  EXPECT_EQ(ask(lies_in_the_valley(4)).verdict, Verdict::confirmed);
  EXPECT_EQ(ask(lies_in_the_valley(0.1)).verdict, Verdict::refuted);
  EXPECT_EQ(ask(lies_in_the_valley(9)).verdict, Verdict::refuted);
}

TEST_F(Sweep, KnowsTheErrorOfPairedRuns) {
  int i = 0;
  for (Record& row : rows_) {  // the other way round: 1.83 - 0.001 (i - 9.5)
    const bool is_run = row.strategy == "dynamic-2phases:beta=5" && row.model.empty();
    if (is_run) row.volume_ratio = 1.83 - 0.001 * (i++ - 9.5);
  }
  ASSERT_EQ(i, 20);
  // Differences of 0.03 - 0.002 (i - 9.5): sd 0.01183, and 2.093 of 20 runs' standard errors are
  // 0.00554, of 1.8.
  EXPECT_EQ(ask(lies_in_the_valley(5)).ours,
            "at beta 5.0000 1.67 +- 0.31 % more (1.800 +- 0.003 at beta=4, sd 0.006)");
}

TEST_F(Sweep, ComparesTheAnalysisWithTheRuns) {
  expect(ask(analysis_fits(3, 6)), Verdict::confirmed,
         "the printed formula within 5 % for 3 <= beta <= 6", "off by at most: paper 3 % (beta=5)");
  const Answer corner = ask(analysis_fits(2.75, 6));
  EXPECT_EQ(corner.verdict, Verdict::at_a_corner);
  EXPECT_EQ(corner.reason, "beta=2.75");
  EXPECT_EQ(corner.ours, "off by at most: paper 10 % (beta=2.75)");
}

TEST_F(Sweep, ComparesItWhereTheRunsLoadTenPercentMore) {
  // 0.03 (beta - 4)^2 <= 0.18 from 1.75 to 6.25.
  const Answer answer = ask(analysis_fits_where_it_matters);

  EXPECT_EQ(answer.verdict, Verdict::refuted);
  EXPECT_EQ(answer.reason, "beta=1.75, beta=2, beta=2.25, beta=2.5, beta=2.75, beta=6.25");
  EXPECT_EQ(answer.asked,
            "the printed formula within 5 % where the runs load at most 10 % more than the least, "
            "1.75 <= beta <= 6.25; the paper prints no range");
}

TEST_F(Sweep, LeavesAFewPercentToPhaseTwo) {
  expect(
      ask(few_percent_are_left), Verdict::confirmed,
      "1 to 5 % of the tasks, rounded, are left to phase 2",
      "lowest with 1.83 % left (1.800 +- 0.003 at beta=4, sd 0.006); not told apart from it at 95 %: 1.83 % to 1.83 %");
  for (Record& row : rows_) {  // now the lowest mean; exp(-2) is 13.5 %
    if (row.strategy == "dynamic-2phases:beta=2") row.volume_ratio = *row.volume_ratio - 1;
  }
  EXPECT_EQ(ask(few_percent_are_left).verdict, Verdict::refuted);
}

TEST_F(Sweep, HelpsAgainstDynamic) {
  run("dynamic", 2);
  expect(ask(two_phases_help), Verdict::confirmed,
         "at the best threshold less than dynamic, at 95 %, paired",
         "dynamic loads 0.200 +- 0.000 more (11.1 %)");
}

TEST_F(Sweep, DoesNotHelpAgainstAnEqual) {
  run("dynamic", 1.8);
  EXPECT_EQ(ask(two_phases_help).verdict, Verdict::refuted);
}

TEST_F(Sweep, BeginsAsRandomAndEndsAsDynamic) {
  // 2.221875 at 0.25, 2.55 at 9.
  run("random", 2.3);
  run("dynamic", 2.7);
  expect(ask(early_is_random), Verdict::confirmed,
         "with 77.9 % of the tasks left to phase 2 within 5 % of random", "0.966 times random");
  expect(ask(late_is_dynamic), Verdict::refuted,
         "with 0.0123 % of the tasks left to phase 2 within 5 % of dynamic", "0.944 times dynamic");
}

TEST(ThresholdSweep, KnowsWhatAModelCallsBest) {
  const ThresholdSweep sweep("outer:n=100", "homogeneous:p=20", {"paper"});

  EXPECT_NEAR(sweep.best("paper", 1), 4.1705, 5e-5);  // HPDC'14 section 3.6
  EXPECT_EQ(sweep.best_by_model(1),
            (std::map<std::string, double>{{"paper", sweep.best("paper", 1)}}));
}

TEST(ThresholdClaim, AsksEachSentence) {
  const ThresholdSweep sweep("outer:n=20", machine, {});
  const Claim claim = threshold_claim("made.up", "what it says", sweep,
                                      {{{"a sentence", "1"}, [](const SweepRun& run) {
                                          return holds_or_not(run.seed == 7, "asked", "ours");
                                        }}});

  EXPECT_EQ(claim.name, "made.up");
  EXPECT_EQ(claim.statement, "what it says");
  EXPECT_EQ(claim.setting, sweep.setting());
  EXPECT_EQ(claim.experiments(7).size(), 2U);
  EXPECT_EQ(claim.judge({}, 7).sentences.at(0).verdict, Verdict::confirmed);
  EXPECT_EQ(claim.judge({}, 8).sentences.at(0).verdict, Verdict::refuted);
}

}  // namespace
}  // namespace damocles::threshold_sweep_test
