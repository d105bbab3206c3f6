#include <gtest/gtest.h>

#include "experiments/figures/curve_checks.hpp"

namespace damocles::curves_test {
namespace {

/// Two points on one GPU of 4 data items of 1 MiB: at the first A and B (2 data items each) fit, at
/// the second not even B (6) does. The drawn peak is 100.
CurveFigure two_points() {
  const std::string platform = "gpus:k=1,memory=4MiB";
  return {{{"n=2", 2, {"gemm2d:n=2"}, platform, 1, 2, 4, 4},
           {"n=6", 6, {"gemm2d:n=6"}, platform, 1, 6, 12, 12}},
          {"eager", "mst"},
          100};
}

Record row(const std::string& strategy, const std::string& workload, double gflops, double loads) {
  Record record;
  record.strategy = strategy;
  record.workload = workload;
  record.platform = "gpus:k=1,memory=4MiB";
  record.gflops = gflops;
  record.loads = loads;
  record.bytes_loaded = loads * 1024 * 1024;
  return record;
}

/// eager: 100, 40; mst: 80 and 120 (one run each), 80.
std::vector<Record> rows() {
  return {row("eager", "gemm2d:n=2", 100, 4), row("eager", "gemm2d:n=6", 40, 36),
          row("mst", "gemm2d:n=2", 80, 4), row("mst", "gemm2d:n=2", 120, 8),
          row("mst", "gemm2d:n=6", 80, 18)};
}

class TwoPoints : public testing::Test {
 protected:
  CurveFigure figure = two_points();
  Curves curves = Curves::simulated(figure, rows());
};

TEST_F(TwoPoints, KnowWhatFitsAndThePeak) {
  EXPECT_DOUBLE_EQ(curves.peak(0), 100);
  EXPECT_DOUBLE_EQ(curves.working_set_mib(1), 12);
  EXPECT_TRUE(curves.ab_fits(0));
  EXPECT_TRUE(curves.b_fits_beside_a(0));
  EXPECT_FALSE(curves.b_fits(1));
  EXPECT_FALSE(curves.has("darts"));
}

TEST_F(TwoPoints, PrintARatioOfSumsAndNotTheMeanOfRatios) {
  EXPECT_DOUBLE_EQ(curves.gflops("mst", 0), 100);
  EXPECT_DOUBLE_EQ(gain(curves, "mst", "eager"), 180.0 / 140 - 1);
  EXPECT_DOUBLE_EQ(gain(curves, "mst", "eager", b_does_not_fit()), 1.0);
}

TEST_F(TwoPoints, CollapseOrFallWhereBNoLongerFits) {
  EXPECT_EQ(collapses_without_b("eager")(curves).verdict, Verdict::confirmed);  // 40 of 100
  EXPECT_EQ(collapses_without_b("mst")(curves).verdict, Verdict::refuted);      // 80 of 100
  EXPECT_EQ(falls("eager", b_does_not_fit())(curves).verdict, Verdict::confirmed);
  EXPECT_EQ(falls("mst", b_does_not_fit())(curves).verdict, Verdict::in_direction);
  EXPECT_EQ(suffers("mst", everywhere())(curves).verdict, Verdict::refuted);  // (1 + 0.8) / 2
}

TEST_F(TwoPoints, AreComparedPointByPoint) {
  EXPECT_EQ(is_at_least(2, "mst", {"eager"}, b_does_not_fit())(curves).verdict, Verdict::confirmed);
  EXPECT_EQ(is_at_least(2, "mst", {"eager"}, everywhere())(curves).verdict, Verdict::refuted);
  EXPECT_EQ(is_never_slower("mst", {"eager", "darts"}, everywhere())(curves).verdict,
            Verdict::confirmed);
  EXPECT_EQ(keeps_share_of_peak("mst", 0.81, everywhere())(curves).verdict, Verdict::refuted);
  EXPECT_EQ(keeps_share_of_best("mst", 0.79, everywhere())(curves).verdict, Verdict::confirmed);
  EXPECT_EQ(is_faster("mst", "eager", sizes(3, 9))(curves).verdict, Verdict::confirmed);
  EXPECT_EQ(is_faster("mst", "eager", sizes(1, 2))(curves).verdict, Verdict::refuted);
}

TEST_F(TwoPoints, AreComparedByBytes) {
  // 1.5 times at n=2, half at n=6: the same on average.
  EXPECT_EQ(moves_less("mst", "eager", 0.01, everywhere())(curves).verdict, Verdict::refuted);
  EXPECT_EQ(moves_less("mst", "eager", 0.5, last_points(1))(curves).verdict, Verdict::confirmed);
  EXPECT_EQ(moves_more("mst", "eager", working_sets(0, 4))(curves).verdict, Verdict::confirmed);
  // 3 times the working set after once, at 40 % of the best.
  EXPECT_EQ(rises_at_the_end("eager", 1)(curves).verdict, Verdict::confirmed);
  EXPECT_EQ(rises_at_the_end("mst", 1)(curves).verdict, Verdict::refuted);
}

TEST_F(TwoPoints, SayWhereAStrategyDidNotRun) {
  for (const auto& check :
       {gain_is("darts", "eager", 0.1), keeps_share_of_peak("darts", 0.9, everywhere()),
        collapses_without_b("darts"), moves_more("darts", "eager", everywhere()),
        falls("darts", everywhere()), rises_at_the_end("darts", 1)}) {
    EXPECT_EQ(check(curves).verdict, Verdict::untestable);
  }
}

TEST_F(TwoPoints, AnswerForSeveralStrategiesAtOnce) {
  const auto check = each({"eager", "mst", "darts"}, collapses_without_b);

  const Answer answer = check(curves);

  EXPECT_EQ(answer.verdict, Verdict::refuted);  // mst does not
  EXPECT_EQ(answer.asked.substr(0, 42), "each of eager, mst, darts at most 66.7 % o");
  EXPECT_NE(answer.ours.find("eager"), std::string::npos);
  EXPECT_NE(answer.ours.find("mst"), std::string::npos);
}

TEST(GainVerdict, IsWithinTwoPointsOrAQuarterOrNamesTheFactor) {
  EXPECT_EQ(gain_verdict(0.5, 0.4).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(0.5, 0.62).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(0.5, 0.39).verdict, Verdict::in_direction);
  EXPECT_EQ(gain_verdict(0.08, 0.24).reason, "+24.0 % for +8.0 %, a factor 3");
  EXPECT_EQ(gain_verdict(0.019, 0.001).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(-0.002, 0.017).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(-0.002, 0.05).verdict, Verdict::refuted);
  EXPECT_EQ(gain_verdict(0.5, -0.1).verdict, Verdict::refuted);
  EXPECT_EQ(gain_verdict(0.085, 0.01).verdict, Verdict::refuted);  // no more than two runs differ
}

TEST_F(TwoPoints, AreNotReproducedRatherThanRefuted) {
  const Curves nothing = Curves::measured(figure);
  CurveTest test;
  test.check = collapses_without_b("mst");
  test.cause = "not this machine";

  EXPECT_EQ(answer_to(test, nothing, curves).verdict, Verdict::not_reproduced);
  EXPECT_NE(answer_to(test, nothing, curves).reason.find("not this machine"), std::string::npos);
  EXPECT_EQ(answer_to(test, nothing, curves).measured, "");
  test.mechanism = "what it speaks of";
  EXPECT_EQ(answer_to(test, nothing, curves).verdict, Verdict::untestable);
  EXPECT_EQ(answer_to(test, nothing, curves).reason, "what it speaks of");
}

TEST(CurveExperiments, RunWhatDrawsTenTimes) {
  CurveFigure figure = two_points();
  figure.strategies = {"eager", "darts"};

  const auto experiments = curve_experiments(figure, 3);

  ASSERT_EQ(experiments.size(), 6U);  // two simulated, and one that predicts both
  EXPECT_EQ(experiments[0].replicates, 1U);
  EXPECT_EQ(experiments[1].replicates, 10U);
  EXPECT_EQ(experiments[4].workload.text(), "gemm2d:n=6");
}

TEST(CurveExperiments, PredictOnTheMachineOfTheModels) {
  CurveFigure figure = two_points();
  figure.strategies = {"eager"};
  figure.points[0].platform =
      "gpus:k=4,memory=500MiB,buses=2,bandwidth=12GB/s,writeback=traffic,request=28us,decision=45ns";

  const auto experiments = curve_experiments(figure, 3);

  EXPECT_EQ(experiments[0].scenario.text(), figure.points[0].platform);
  EXPECT_TRUE(experiments[0].models.empty());
  EXPECT_EQ(experiments[1].scenario.text(), "gpus:k=4,memory=500MiB,bandwidth=24GB/s,request=28us");
  EXPECT_FALSE(experiments[1].simulate);
  EXPECT_FALSE(experiments[1].models.empty());
}

/// The checks of a claim on the authors' published points alone, as no run of ours is given.
std::vector<Answer> on_raw_data(const Claim& claim) { return claim.judge({}, 1).sentences; }

// A check that the authors' own measurements fail asks for something else than the sentence says.
TEST(EveryCheck, IsPassedByTheAuthorsRawData) {
  std::size_t answered = 0;
  for (const auto& claim : claims()) {
    if (!claim.name.starts_with("ipdps22.fig")) continue;
    const auto answers = on_raw_data(claim);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].measured.empty()) continue;
      ++answered;
      for (const auto verdict : {Verdict::at_a_corner, Verdict::in_direction, Verdict::refuted}) {
        EXPECT_EQ(answers[i].measured.find(to_string(verdict)), std::string::npos)
            << claim.name << ": " << claim.sentences[i].text << ": " << answers[i].measured;
      }
    }
  }
  EXPECT_EQ(answered, 21U);  // figures 3 to 9; of 11 and 12 no more than two sizes are public
}

// The averages that IPDPS'22 prints, 8.5 and 9.4 %, from the points it draws (V-B e, V-C d).
TEST(RawData, GiveThePrintedGains) {
  for (const auto& [id, printed] :
       {std::pair{"ipdps22.fig3-4", "+8.5 %"}, {"ipdps22.fig5-7", "+9.4 %"}}) {
    const auto answers = on_raw_data(*claims_named(id).front());
    EXPECT_EQ(answers.front().measured.substr(0, 6), printed) << id;
  }
}

// Two checks that were asked once, on the same points: 94.6 % of its best at n=40 is no
// collapse, and in random order nothing reaches 90 % of the peak.
TEST(RawData, RefuseTheChecksThatWereWrong) {
  const CurveFigure one{{{"n=30", 30, {}, "gpus:k=1,memory=500MiB", 14.0625, 30, 60, 60},
                         {"n=40", 40, {}, "gpus:k=1,memory=500MiB", 14.0625, 40, 80, 80}},
                        {"darts:eviction=lru"},
                        13253,
                        "ipdps22.fig3-4"};
  const CurveFigure random{{{"n=45", 45, {}, "gpus:k=2,memory=500MiB", 14.0625, 45, 90, 90}},
                           {"darts:eviction=lru"},
                           13253,
                           "ipdps22.fig9"};

  EXPECT_EQ(collapses_without_b("darts:eviction=lru")(Curves::measured(one)).verdict,
            Verdict::refuted);
  EXPECT_EQ(keeps_share_of_peak("darts:eviction=lru", 0.9, everywhere())(Curves::measured(random))
                .verdict,
            Verdict::refuted);
}

}  // namespace
}  // namespace damocles::curves_test
