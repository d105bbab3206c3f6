// The checks of curves on five made-up points: every verdict, its words and its numbers by hand, at
// the tolerances on both sides.

#include "experiments/figures/curve_checks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace damocles::curve_checks_test {
namespace {

using Values = std::vector<double>;

const char* const machine = "gpus:k=1,memory=4MiB";

/// n = 1 to 5 on one GPU of 4 data of 1 MiB, with n data each of A and B: both fit at 1 and 2, B
/// beside one data item of A up to 3, B up to 4. The drawn peak is 100.
CurveFigure five_points() {
  CurveFigure figure{{}, {"a", "b"}, 100};
  for (std::uint64_t n = 1; n <= 5; ++n) {
    const auto data = static_cast<double>(n);
    figure.points.push_back({fmt::format("n={}", n),
                             n,
                             {fmt::format("gemm2d:n={}", n)},
                             machine,
                             1,
                             data,
                             2 * data,
                             2 * data});
  }
  return figure;
}

/// Throughputs by strategy, one value a point from n = 1; transfers in working sets.
class FivePoints {
 public:
  explicit FivePoints(const std::map<std::string, Values>& gflops,
                      const std::map<std::string, Values>& working_sets = {}) {
    std::vector<Record> rows;
    for (const auto& [strategy, values] : gflops) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        Record row;
        row.source = "simulated";
        row.strategy = strategy;
        row.workload = fmt::format("gemm2d:n={}", i + 1);
        row.platform = machine;
        row.gflops = values[i];
        const auto moved = working_sets.find(strategy);
        const double sets = moved == working_sets.end() ? 1 : moved->second[i];
        row.bytes_loaded = sets * 2 * static_cast<double>(i + 1) * mebibyte;
        rows.push_back(row);
      }
    }
    curves_.emplace_back(Curves::simulated(figure_, rows));
  }

  [[nodiscard]] const Curves& curves() const { return curves_.front(); }
  [[nodiscard]] Answer ask(const CurveCheck& check) const { return check(curves()); }

 private:
  CurveFigure figure_ = five_points();
  std::vector<Curves> curves_;
};

void expect(const Answer& answer, Verdict verdict, const std::string& reason,
            const std::string& asked, const std::string& ours) {
  EXPECT_EQ(answer.verdict, verdict) << to_string(answer.verdict);
  EXPECT_EQ(answer.reason, reason);
  EXPECT_EQ(answer.asked, asked);
  EXPECT_EQ(answer.ours, ours);
}

const Values a{100, 100, 100, 90, 50};
const Values b{100, 80, 50, 45, 40};

TEST(CurveChecks, PrintAGainWithItsRange) {
  const FivePoints ab({{"a", a}, {"b", b}});

  // 440 / 315 - 1; ratios 1, 1.25, 2, 2, 1.25.
  EXPECT_EQ(gain_text(ab.curves(), "a", "b"),
            "+39.7 % (mean of ratios +50.0 %; +0.0 % (n=1) to +100.0 % (n=3), 5 points)");
  EXPECT_EQ(gain_text(ab.curves(), "a", "b", sizes(2, 3)),
            "+53.8 % (mean of ratios +62.5 %; +25.0 % (n=2) to +100.0 % (n=3), 2 points)");
  EXPECT_EQ(gain_text(ab.curves(), "a", "c"), "a over c: no such points");
}

TEST(CurveChecks, ConfirmAGainThatIsThePrintedOne) {
  const FivePoints ab({{"a", a}, {"b", b}});
  const std::string ours =
      "+39.7 % (mean of ratios +50.0 %; +0.0 % (n=1) to +100.0 % (n=3), 5 points)";

  expect(ab.ask(gain_is("a", "b", 0.4)), Verdict::confirmed, "",
         "a over b +40.0 %, within 2 points or a factor 1.25", ours);
  expect(ab.ask(gain_is("a", "b", 0.2)), Verdict::in_direction, "+39.7 % for +20.0 %, a factor 2",
         "a over b +20.0 %, within 2 points or a factor 1.25", ours);
  expect(ab.ask(gain_is("b", "a", 0.2)), Verdict::refuted, "-28.4 % for +20.0 %",
         "b over a +20.0 %, within 2 points or a factor 1.25",
         "-28.4 % (mean of ratios -28.0 %; -50.0 % (n=3) to +0.0 % (n=1), 5 points)");
  expect(ab.ask(gain_is("a", "c", 0.2)), Verdict::untestable, "no such points",
         "a over c +20.0 %, within 2 points or a factor 1.25", "no such points");
}

TEST(GainVerdict, TurnsAtItsTolerances) {
  constexpr double a_little = 1e-12;
  // A factor 1.25 either way.
  EXPECT_EQ(gain_verdict(1, 1.25).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(1, 1.25 + a_little).verdict, Verdict::in_direction);
  EXPECT_EQ(gain_verdict(1, 0.8).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(1, 0.8 - a_little).verdict, Verdict::in_direction);
  EXPECT_EQ(gain_verdict(-1, -1.25).verdict, Verdict::confirmed);
  // Two points.
  EXPECT_EQ(gain_verdict(0.03, 0.05 - a_little).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(0.03, 0.05 + a_little).verdict, Verdict::in_direction);
  EXPECT_EQ(gain_verdict(0.01, -0.01 + a_little).verdict, Verdict::confirmed);
  EXPECT_EQ(gain_verdict(0.01, -0.01 - a_little).verdict, Verdict::refuted);
  // A sign beyond what two runs differ by.
  EXPECT_EQ(gain_verdict(0.5, 0.02).verdict, Verdict::refuted);
  EXPECT_EQ(gain_verdict(0.5, 0.02 + a_little).verdict, Verdict::in_direction);
  EXPECT_EQ(gain_verdict(-0.5, 0.3).verdict, Verdict::refuted);
  EXPECT_EQ(gain_verdict(1, 1.3).reason, "+130.0 % for +100.0 %, a factor 1.3");
  EXPECT_EQ(gain_verdict(0.5, 0.01).reason, "+1.0 % for +50.0 %");
}

TEST(CurveChecks, CallFasterWhatIsBeyondTwoRuns) {
  const auto faster = [](double of_a) {
    return FivePoints({{"a", {of_a}}, {"b", {100}}}).ask(is_faster("a", "b", everywhere()));
  };
  EXPECT_EQ(faster(102.01).verdict, Verdict::confirmed);
  EXPECT_EQ(faster(101.99).verdict, Verdict::refuted);
  expect(FivePoints({{"a", a}, {"b", b}}).ask(is_faster("b", "a", b_does_not_fit())),
         Verdict::refuted, "-20.0 % over a", "b over a more than +2.0 % where B does not fit",
         "over a -20.0 % (mean of ratios -20.0 %; -20.0 % (n=5) to -20.0 % (n=5), 1 point)");
}

TEST(CurveChecks, ComparePointByPoint) {
  const FivePoints ab({{"a", a}, {"b", b}});
  const auto at_least = [&](double factor) {
    return ab.ask(is_at_least(factor, "a", {"b", "c"}, everywhere()));
  };

  expect(at_least(1), Verdict::confirmed, "", "a at least 1 times the best of b, c at every point",
         "a 1.5 times, least 1 times (n=1), 5 points");
  expect(at_least(1.25), Verdict::at_a_corner, "a at n=1",
         "a at least 1.25 times the best of b, c at every point",
         "a 1.5 times, least 1 times (n=1), 5 points");
  EXPECT_EQ(at_least(1.26).verdict, Verdict::refuted);
  EXPECT_EQ(at_least(1.26).reason, "a at n=1, n=2, n=5");
  EXPECT_EQ(at_least(2.1).reason, "a at n=1 to n=5, 5 of 5 points");
  EXPECT_EQ(at_least(0.9).asked, "a at least 90 % of the best of b, c at every point");
  EXPECT_EQ(ab.ask(is_at_least(1, "a", {"c"}, everywhere())).verdict, Verdict::untestable);
}

TEST(CurveChecks, CallNeverSlowerWhatIsWithinTwoRuns) {
  const auto verdict = [](double of_a) {
    return FivePoints({{"a", {of_a}}, {"b", {100}}})
        .ask(is_never_slower("a", {"b"}, everywhere()))
        .verdict;
  };
  EXPECT_EQ(verdict(98.01), Verdict::confirmed);
  EXPECT_EQ(verdict(97.99), Verdict::refuted);
}

TEST(CurveChecks, AskForSharesOfThePeakAndOfTheBest) {
  const FivePoints halved({{"a", {50, 50, 50, 45, 25}}});

  expect(halved.ask(keeps_share_of_peak("a", 0.25, everywhere())), Verdict::confirmed, "",
         "a at least 25 % of the drawn peak at every point", "a 44 %, least 25 % (n=5), 5 points");
  EXPECT_EQ(halved.ask(keeps_share_of_peak("a", 0.251, everywhere())).reason, "a at n=5");
  // Of its own best it has to be more: half is not enough.
  expect(halved.ask(keeps_share_of_best("a", 0.5, everywhere())), Verdict::at_a_corner, "a at n=5",
         "a more than 50 % of its own best at every point", "a 88 %, least 50 % (n=5), 5 points");
  EXPECT_EQ(halved.ask(keeps_share_of_best("a", 0.499, everywhere())).verdict, Verdict::confirmed);
}

TEST(CurveChecks, CallAFallWhatIsAtMostTwoThirdsOnAverage) {
  const FivePoints ab({{"a", a}, {"b", b}, {"low", {50, 50, 50, 50, 50}}});

  // (1 + 0.8 + 0.5 + 0.45 + 0.4) / 5.
  expect(ab.ask(falls("b", everywhere())), Verdict::confirmed, "",
         "b at most 66.7 % of its own best at every point, mean",
         "b 63 %, 40 % (n=5) to 100 % (n=1)");
  expect(ab.ask(falls("a", everywhere())), Verdict::in_direction, "a falls to 88 % only",
         "a at most 66.7 % of its own best at every point, mean",
         "a 88 %, 50 % (n=5) to 100 % (n=1)");
  EXPECT_EQ(ab.ask(falls("low", everywhere())).verdict, Verdict::refuted);
  expect(ab.ask(suffers("low", everywhere())), Verdict::confirmed, "",
         "low at most 66.7 % of the drawn peak at every point, mean",
         "low 50 %, 50 % (n=1) to 50 % (n=1)");
}

TEST(CurveChecks, TurnAtTwoThirdsAndNineTenths) {
  const auto verdict = [](double percent) {
    return FivePoints({{"a", {percent}}}).ask(suffers("a", everywhere())).verdict;
  };
  EXPECT_EQ(verdict(66.66), Verdict::confirmed);
  EXPECT_EQ(verdict(66.67), Verdict::in_direction);
  EXPECT_EQ(verdict(89.99), Verdict::in_direction);
  EXPECT_EQ(verdict(90.01), Verdict::refuted);
}

TEST(CurveChecks, CallACollapseWhatFallsOnceBDoesNotFit) {
  const auto ask = [](const Values& values) {
    return FivePoints({{"d", values}}).ask(collapses_without_b("d"));
  };
  const std::string asked = "d at most 66.7 % of its best once B does not fit, more before";

  // At n=4 B fits, but not beside a data item of A: it may do either.
  expect(ask({90, 100, 80, 30, 60}), Verdict::confirmed, "", asked,
         "d 80 % (n=3) before, 60 % (n=5) to 60 % (n=5) after");
  expect(ask({90, 100, 80, 30, 70}), Verdict::refuted, "d keeps up to 70 % of its best", asked,
         "d 80 % (n=3) before, 70 % (n=5) to 70 % (n=5) after");
  expect(ask({90, 100, 60, 30, 60}), Verdict::refuted, "d keeps up to 60 % of its best", asked,
         "d 60 % (n=3) before, 60 % (n=5) to 60 % (n=5) after");
  EXPECT_EQ(ask({90, 100, 80, 120, 90}).ours,
            "d 66.7 % (n=3) before, 75 % (n=5) to 75 % (n=5) after");
  EXPECT_EQ(ask({90, 100, 80, 30}).verdict, Verdict::untestable);
  EXPECT_EQ(ask({90, 100, 66.68, 30, 66.66}).verdict, Verdict::confirmed);
  EXPECT_EQ(ask({90, 100, 66.66, 30, 66.66}).verdict, Verdict::refuted);
}

TEST(CurveChecks, CompareTransfers) {
  const FivePoints ab({{"a", a}, {"b", b}}, {{"a", {1, 1, 1, 1, 1}}, {"b", {1, 2, 4, 4, 4}}});

  // a over b: 0, -50, -75, -75, -75 %.
  expect(ab.ask(moves_less("a", "b", 0.55, everywhere())), Verdict::confirmed, "",
         "a moves at least 55 % fewer bytes than b at every point, mean",
         "-55.0 % against b, -75.0 % (n=3) to +0.0 % (n=1)");
  expect(ab.ask(moves_less("a", "b", 0.56, everywhere())), Verdict::refuted,
         "-55.0 % bytes against b", "a moves at least 56 % fewer bytes than b at every point, mean",
         "-55.0 % against b, -75.0 % (n=3) to +0.0 % (n=1)");
  // b over a: 0, 100, 300, 300, 300 %.
  expect(ab.ask(moves_more("b", "a", everywhere())), Verdict::confirmed, "",
         "b moves more bytes than a at every point, mean",
         "+200.0 % against a, +0.0 % (n=1) to +300.0 % (n=3)");
  expect(ab.ask(moves_more("a", "b", everywhere())), Verdict::refuted, "-55.0 % bytes against b",
         "a moves more bytes than b at every point, mean",
         "-55.0 % against b, -75.0 % (n=3) to +0.0 % (n=1)");
  EXPECT_EQ(ab.ask(moves_more("a", "b", sizes(1, 1))).verdict, Verdict::refuted);  // as many
}

TEST(CurveChecks, SeeTransfersThatRiseAtTheEnd) {
  const auto ask = [](const Values& gflops, const Values& sets) {
    return FivePoints({{"d", gflops}}, {{"d", sets}}).ask(rises_at_the_end("d", 2));
  };
  const std::string asked =
      "bytes of d over the working set at the last 2 points at least twice those of any before, "
      "and its throughput below the best before";

  expect(
      ask({80, 100, 90, 60, 70}, {1, 1.5, 1, 3, 4}), Verdict::confirmed, "", asked,
      "3.00 (n=4) times the working set, at most 1.50 (n=2) before; 70 % of the best throughput");
  EXPECT_EQ(ask({80, 100, 90, 60, 70}, {1, 1.51, 1, 3, 4}).verdict, Verdict::refuted);
  EXPECT_EQ(ask({80, 100, 90, 60, 100}, {1, 1.5, 1, 3, 4}).verdict, Verdict::refuted);
  EXPECT_EQ(ask({80, 100, 90}, {1, 1.5, 1}).verdict, Verdict::untestable);  // none of the last
}

TEST(CurveChecks, TakeTheWorstOfSeveral) {
  const FivePoints ab({{"a", a}, {"b", b}});
  const CurveCheck both = all_of(
      "both", {falls("b", everywhere()), falls("a", everywhere()), falls("c", everywhere())});

  expect(ab.ask(both), Verdict::in_direction, "a falls to 88 % only", "both",
         "b 63 %, 40 % (n=5) to 100 % (n=1); a 88 %, 50 % (n=5) to 100 % (n=1)");
  expect(ab.ask(each({"a", "b"}, [](const auto& name) { return falls(name, everywhere()); })),
         Verdict::in_direction, "a falls to 88 % only",
         "each of a, b at most 66.7 % of its own best at every point, mean",
         "a 88 %, 50 % (n=5) to 100 % (n=1); b 63 %, 40 % (n=5) to 100 % (n=1)");
  expect(ab.ask(all_of("none", {falls("c", everywhere())})), Verdict::untestable, "no such points",
         "none", "no such points");
}

TEST(AnswerTo, SaysWhyWhatFailsIsNotReproduced) {
  const FivePoints ab({{"a", a}, {"b", b}});
  const CurveFigure figure = five_points();
  const Curves nothing = Curves::measured(figure);
  CurveTest test;
  test.check = is_faster("b", "a", everywhere());

  EXPECT_EQ(
      answer_to(test, nothing, ab.curves()).reason,
      "-28.4 % over a: the cause is open: the authors' machine shows it, our simulation of it does not");
  test.cause = "another bus";
  EXPECT_EQ(answer_to(test, nothing, ab.curves()).reason, "-28.4 % over a: another bus");
  // The same curves as if they had been measured: the check's verdict stands beside its numbers.
  EXPECT_EQ(
      answer_to(test, ab.curves(), ab.curves()).measured,
      "over a -28.4 % (mean of ratios -28.0 %; -50.0 % (n=3) to +0.0 % (n=1), 5 points) (refuted)");
  test.check = is_faster("a", "b", everywhere());
  EXPECT_EQ(answer_to(test, ab.curves(), ab.curves()).measured,
            "over b +39.7 % (mean of ratios +50.0 %; +0.0 % (n=1) to +100.0 % (n=3), 5 points)");
  EXPECT_EQ(answer_to(test, nothing, ab.curves()).verdict, Verdict::confirmed);
  const CurveTest unasked{{}, {}, "", "no such machine"};
  EXPECT_EQ(answer_to(unasked, nothing, ab.curves()).verdict, Verdict::untestable);
  EXPECT_EQ(answer_to(unasked, nothing, ab.curves()).reason, "no such machine");
}

TEST(Curves, KnowWhatFits) {
  const FivePoints ab({{"a", a}, {"b", b}});
  const Curves& curves = ab.curves();
  std::string fits;
  for (std::size_t i = 0; i < curves.points(); ++i) {
    fits += curves.ab_fits(i)           ? "2"
            : curves.b_fits_beside_a(i) ? "b"
            : curves.b_fits(i)          ? "-"
                                        : ".";
  }
  EXPECT_EQ(fits, "22b-.");
  EXPECT_EQ(curves.best_gflops("b"), 100);
  EXPECT_EQ(curves.working_set_mib(2), 6);
  EXPECT_EQ(curves.bytes("a", 2), 6 * mebibyte);
  EXPECT_TRUE(curves.has("a"));
  EXPECT_FALSE(curves.has("c"));
}

/// The points that a place means, as their sizes.
std::string points(const Where& where) {
  const FivePoints ab({{"a", a}});
  std::string result;
  for (std::size_t i = 0; i < 5; ++i) {
    if (where.holds(ab.curves(), i)) result += std::to_string(i + 1);
  }
  return result;
}

TEST(Where, IsInTheWordsOfTheFigures) {
  EXPECT_EQ(points(everywhere()), "12345");
  EXPECT_EQ(points(memory_is_short()), "345");
  EXPECT_EQ(points(b_does_not_fit()), "5");
  EXPECT_EQ(points(only_b_fits()), "34");
  EXPECT_EQ(points(sizes(2, 4)), "234");
  EXPECT_EQ(points(working_sets(4, 8)), "34");  // 2, 4, 6, 8, 10 MiB
  EXPECT_EQ(points(last_points(2)), "45");
  EXPECT_EQ(memory_is_short().text, "where A and B do not fit together");
  EXPECT_EQ(only_b_fits().text, "where A and B do not fit but B does");
  EXPECT_EQ(sizes(2, 4).text, "for n = 2 to 4");
  EXPECT_EQ(working_sets(4, 8).text, "between 4 and 8 MiB");
  EXPECT_EQ(working_sets(4, std::numeric_limits<double>::infinity()).text, "above 4 MiB");
  EXPECT_EQ(last_points(2).text, "at the last 2 points");
}

TEST(RunsOf, AreTenWhereAStrategyDraws) {
  EXPECT_EQ(runs_of("darts:eviction=lru", 1), 10U);
  EXPECT_EQ(runs_of("hypergraph", 1), 3U);
  EXPECT_EQ(runs_of("eager", 1), 1U);
  EXPECT_EQ(runs_of("eager", 2), 3U);
}

TEST(CurveClaim, AsksAndJudgesItsFigure) {
  CurveClaim described{"made.up", "what it says", "where", five_points, {}};
  described.tests.push_back({{"a is faster", "1"}, is_faster("a", "b", everywhere())});
  described.also = [](const Curves& ours) {
    return std::vector<std::string>{gain_text(ours, "a", "b")};
  };
  const Claim claim = curve_claim(described);
  Record row;
  row.source = "simulated";
  row.workload = "gemm2d:n=1";
  row.platform = machine;
  row.bytes_loaded = 1;
  row.strategy = "a";
  row.gflops = 3;
  Record other = row;
  other.strategy = "b";
  other.gflops = 2;

  Record predicted = row;
  predicted.source = "predicted";
  predicted.domain = "inside";
  predicted.gflops = 3.3;
  Record untrusted = other;
  untrusted.source = "predicted";
  untrusted.domain = "outside validated domain: a side of 1 blocks, validated from 20";

  const Answers answers = claim.judge({row, other, predicted, untrusted}, 1);

  EXPECT_EQ(claim.name, "made.up");
  EXPECT_EQ(claim.statement, "what it says");
  EXPECT_EQ(claim.setting, "where");
  EXPECT_EQ(claim.sentences.at(0).text, "a is faster");
  EXPECT_EQ(answers.sentences.at(0).verdict, Verdict::confirmed);
  EXPECT_EQ(answers.also.at(0),
            "+50.0 % (mean of ratios +50.0 %; +50.0 % (n=1) to +50.0 % (n=1), 1 point)");
  ASSERT_EQ(answers.also.size(), 2U);  // b is predicted outside of the domain
  EXPECT_EQ(
      answers.also.at(1),
      "a predicted without simulation, 1 point: GFlop/s +10.0 % in the mean, +10.0 % (n=1) to "
      "+10.0 % (n=1); bytes as simulated");
}

}  // namespace
}  // namespace damocles::curve_checks_test
