#include "experiments/figures/claims.hpp"

#include <gtest/gtest.h>

#include <set>

#include "experiments/figures/judging.hpp"

namespace damocles::claims_test {
namespace {

const Sentence headline{"what the figure shows", "1", Weight::headline};
const Sentence remark{"by the way", "2", Weight::remark};

Answer answer(Verdict verdict, const std::string& reason = "") { return {verdict, reason}; }

TEST(Conclude, TakesTheWorstHeadline) {
  const std::vector<Sentence> three{headline, headline, headline};

  const Finding finding =
      conclude(three, {answer(Verdict::confirmed), answer(Verdict::in_direction, "a factor 2"),
                       answer(Verdict::at_a_corner, "n=5")});

  EXPECT_EQ(finding.verdict, Verdict::in_direction);
  EXPECT_EQ(finding.reason, "a factor 2; 1 of 3 headline sentences confirmed");
}

TEST(Conclude, OrdersVerdictsFromConfirmedToRefuted) {
  const std::vector<Verdict> order{Verdict::confirmed, Verdict::at_a_corner, Verdict::in_direction,
                                   Verdict::not_reproduced, Verdict::refuted};
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t b = 0; b < order.size(); ++b) {
      const Finding finding = conclude({headline, headline}, {answer(order[a]), answer(order[b])});
      EXPECT_EQ(finding.verdict, order[std::max(a, b)]);
    }
  }
}

TEST(Conclude, IsNotSunkByARemark) {
  const Finding finding =
      conclude({headline, remark}, {answer(Verdict::confirmed), answer(Verdict::refuted)});

  EXPECT_EQ(finding.verdict, Verdict::confirmed);
  EXPECT_EQ(finding.reason, "");
}

TEST(Conclude, SaysUntestableOnlyWhereNoHeadlineCanBeTested) {
  const Answer untestable = answer(Verdict::untestable, "no such mechanism");

  EXPECT_EQ(conclude({headline, headline}, {untestable, answer(Verdict::confirmed)}).verdict,
            Verdict::confirmed);
  EXPECT_EQ(conclude({headline, headline}, {untestable, answer(Verdict::confirmed)}).reason,
            "1 of 2 headline sentences confirmed");
  EXPECT_EQ(conclude({headline, remark}, {untestable, answer(Verdict::refuted)}).verdict,
            Verdict::untestable);
  EXPECT_EQ(conclude({headline}, {untestable}).reason, "no such mechanism");
}

TEST(HoldsBut, IsACornerAtAPointOfFiveOrATenth) {
  EXPECT_EQ(holds_but(0, 4, "x", "", "").verdict, Verdict::confirmed);
  EXPECT_EQ(holds_but(0, 4, "x", "", "").reason, "");
  EXPECT_EQ(holds_but(1, 4, "x", "", "").verdict, Verdict::refuted);
  EXPECT_EQ(holds_but(1, 5, "x", "", "").verdict, Verdict::at_a_corner);
  EXPECT_EQ(holds_but(2, 19, "x", "", "").verdict, Verdict::refuted);
  EXPECT_EQ(holds_but(2, 20, "x", "", "").verdict, Verdict::at_a_corner);
  EXPECT_EQ(holds_but(2, 20, "n=5, n=6", "", "").reason, "n=5, n=6");
}

TEST(EveryClaim, SaysAtLeastOneHeadlineAndWhereThePaperDoes) {
  EXPECT_EQ(claims().size(), 38U);
  for (const auto& claim : claims()) {
    std::set<std::string> texts;
    std::size_t headlines = 0;
    for (const auto& sentence : claim.sentences) {
      EXPECT_FALSE(sentence.text.empty()) << claim.name;
      EXPECT_FALSE(sentence.place.empty()) << claim.name;
      EXPECT_EQ(sentence.text.find('|'), std::string::npos) << claim.name;  // it stands in a table
      EXPECT_TRUE(texts.insert(sentence.text).second) << claim.name << ": " << sentence.text;
      headlines += sentence.weight == Weight::headline ? 1 : 0;
    }
    EXPECT_GE(headlines, 1U) << claim.name;
  }
}

}  // namespace
}  // namespace damocles::claims_test
