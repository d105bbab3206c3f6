// The statistics and the words of the judging code, by value.

#include "experiments/figures/judging.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/error_text.hpp"

namespace damocles::judging_test {
namespace {

TEST(VerdictNames, AreThoseOfTheTables) {
  EXPECT_EQ(to_string(Verdict::confirmed), "confirmed");
  EXPECT_EQ(to_string(Verdict::at_a_corner), "holds but at a corner");
  EXPECT_EQ(to_string(Verdict::in_direction), "confirmed in direction");
  EXPECT_EQ(to_string(Verdict::untestable), "cannot be tested here");
  EXPECT_EQ(to_string(Verdict::not_reproduced), "not reproduced here");
  EXPECT_EQ(to_string(Verdict::refuted), "refuted");
  EXPECT_EQ(to_string(Weight::headline), "headline");
  EXPECT_EQ(to_string(Weight::remark), "remark");
}

TEST(HoldsOrNot, KeepsItsWords) {
  const Answer yes = holds_or_not(true, "asked", "ours");
  const Answer no = holds_or_not(false, "asked", "ours");

  EXPECT_EQ(yes.verdict, Verdict::confirmed);
  EXPECT_EQ(no.verdict, Verdict::refuted);
  for (const Answer& answer : {yes, no}) {
    EXPECT_EQ(answer.asked, "asked");
    EXPECT_EQ(answer.ours, "ours");
    EXPECT_EQ(answer.reason, "");
    EXPECT_EQ(answer.measured, "");
  }
}

TEST(HoldsBut, KeepsItsWords) {
  const Answer corner = holds_but(1, 10, "n=5", "asked", "ours");
  EXPECT_EQ(corner.asked, "asked");
  EXPECT_EQ(corner.ours, "ours");
  EXPECT_EQ(corner.reason, "n=5");
  EXPECT_EQ(corner.verdict, Verdict::at_a_corner);
  EXPECT_EQ(holds_but(2, 10, "n=5, n=6", "", "").reason, "n=5, n=6");
}

TEST(IsCorner, IsATenthOrOneOfFive) {
  EXPECT_TRUE(is_corner(1, 10));
  EXPECT_FALSE(is_corner(2, 19));
  EXPECT_TRUE(is_corner(2, 20));
  EXPECT_TRUE(is_corner(1, 5));
  EXPECT_FALSE(is_corner(1, 4));
  EXPECT_FALSE(is_corner(2, 5));
}

TEST(Sample, IsMeanDeviationAndStudentsInterval) {
  const Sample four = sample({1, 2, 3, 4});

  EXPECT_EQ(four.mean, 2.5);
  EXPECT_DOUBLE_EQ(four.sd, std::sqrt(5.0 / 3));
  // t(0.975; 3) = 3.182446, Fisher & Yates.
  EXPECT_NEAR(four.ci95, 3.182446 * std::sqrt(5.0 / 3) / 2, 1e-6);
  EXPECT_EQ(with_ci(four), "2.500 +- 2.054");
}

TEST(Sample, OfOneValueHasNoSpread) {
  const Sample one = sample({7});
  EXPECT_EQ(one.mean, 7);
  EXPECT_EQ(one.sd, 0);
  EXPECT_EQ(one.ci95, 0);
  // Two have: t(0.975; 1) = 12.7062.
  EXPECT_NEAR(sample({6, 8}).ci95, 12.7062, 1e-4);
}

TEST(Paired, IsOfTheDifferencesRunByRun) {
  const Sample differences = paired({1, 10, 100}, {2, 12, 103});

  EXPECT_EQ(differences.mean, 2);
  EXPECT_EQ(differences.sd, 1);
  EXPECT_THROW((void)paired({1, 2}, {1}), std::out_of_range);
}

TEST(Words, AreShort) {
  EXPECT_EQ(percent(0.0131), "1.31 %");
  EXPECT_EQ(percent(2.0 / 3), "66.7 %");
  EXPECT_EQ(list({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(list({}), "");
}

TEST(Extremes, KeepTheFirstOfEqualOnes) {
  Extremes seen;
  for (const auto& [value, where] : {std::pair(3.0, "a"), {1.0, "b"}, {3.0, "c"}, {1.0, "d"}})
    seen.see(value, where);

  EXPECT_EQ(seen.min, 1);
  EXPECT_EQ(seen.at_min, "b");
  EXPECT_EQ(seen.max, 3);
  EXPECT_EQ(seen.at_max, "a");
}

Record row(const std::string& model, double ratio) {
  Record record;
  record.model = model;
  record.strategy = "dynamic";
  record.platform = "homogeneous:p=2";
  record.volume_ratio = ratio;
  return record;
}

TEST(Volumes, AreMeansByModelStrategyAndPlatform) {
  Record failed = row("", 100);
  failed.volume_ratio.reset();
  const Volumes volumes({row("", 2), row("", 3), row("paper", 2), row("paper", 4), failed});

  EXPECT_EQ(volumes.simulated("dynamic", "homogeneous:p=2"), (std::vector<double>{2, 3}));
  EXPECT_EQ(volumes.predicted("paper", "dynamic", "homogeneous:p=2"), 3);
  EXPECT_DOUBLE_EQ(volumes.deviation("paper", "dynamic", "homogeneous:p=2"), 3 / 2.5 - 1);
  EXPECT_THROW((void)volumes.simulated("random", "homogeneous:p=2"), std::out_of_range);
}

std::vector<std::string> named(const std::string& pattern) {
  std::vector<std::string> ids;
  for (const Claim* claim : claims_named(pattern)) ids.push_back(claim->name);
  return ids;
}

TEST(ClaimsNamed, AreOneOrThoseOfAPattern) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(named("hpdc14.fig1"), (Ids{"hpdc14.fig1"}));
  EXPECT_EQ(named("hpdc14.fig1*"), (Ids{"hpdc14.fig1", "hpdc14.fig10", "hpdc14.fig11"}));
  EXPECT_EQ(named("*.example"), (Ids{"coloc21.example", "ipdps22.example"}));
  EXPECT_EQ(named("*").size(), claims().size());
  EXPECT_TRUE(
      error_text([] {
        (void)named("hpdc14.fg6");
      }).starts_with("unknown claim 'hpdc14.fg6'; did you mean 'hpdc14.fig6'? hpdc14 has "));
  // A figure that is not there is none of the others.
  const std::string none = error_text([] { (void)named("hpdc14.fig3"); });
  EXPECT_TRUE(none.starts_with("unknown claim 'hpdc14.fig3'; hpdc14 has ")) << none;
  EXPECT_NE(none.find(", fig6"), std::string::npos) << none;
}

TEST(EveryClaim, StandsInOrderAndIsNamedOnce) {
  for (std::size_t i = 1; i < claims().size(); ++i)
    EXPECT_LT(claims()[i - 1].name, claims()[i].name);
}

TEST(Conclude, NamesTheFirstOfEquallyBadHeadlines) {
  const Sentence headline{"what the figure shows", "1", Weight::headline};
  const auto bad = [](const char* reason) { return Answer{Verdict::refuted, reason}; };

  EXPECT_EQ(conclude({headline, headline}, {bad("first"), bad("second")}).reason,
            "first; 0 of 2 headline sentences confirmed");
  EXPECT_EQ(conclude({headline}, {bad("alone")}).reason, "alone");
  EXPECT_EQ(conclude({headline, headline}, {{Verdict::confirmed}, {Verdict::confirmed}}).reason,
            "");
}

}  // namespace
}  // namespace damocles::judging_test
