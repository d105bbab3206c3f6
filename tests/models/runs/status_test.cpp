// Tests that the text of a status is written and read by one pair of functions.
#include "models/runs/status.hpp"

#include <gtest/gtest.h>

namespace damocles::status_test {
namespace {

using Kind = Status::Kind;

TEST(Status, ReadsBackWhatItWrites) {
  const std::pair<Status, std::string_view> spelt[] = {
      {{Kind::none}, ""},
      {{Kind::ok}, "ok"},
      {{Kind::unverified}, "unverified"},
      {{Kind::infeasible, "memory: too small"}, "infeasible: memory: too small"},
      {{Kind::failed}, "failed"},
      {{Kind::failed, "no progress"}, "failed: no progress"},
      {{Kind::no_model, "it is random"}, "no model: it is random"},
      {{Kind::outside_domain}, "outside the formula's domain"},
      {{Kind::not_finite, "volume_ratio"}, "volume_ratio is not finite"}};
  for (const auto& [status, text] : spelt) {
    EXPECT_EQ(status_text(status), text);
    EXPECT_EQ(parse_status(text), status) << text;
  }
}

TEST(Status, KeepsTextThatItDoesNotKnow) {
  for (const char* const text : {"failedly", "infeasibles: why", "ok: almost", "OK", "no model yet",
                                 ": why", "skipped: no time", " ok"}) {
    EXPECT_EQ(parse_status(text), (Status{Kind::other, text})) << text;
    EXPECT_EQ(status_text(parse_status(text)), text);
  }
}

TEST(Status, IsOfOneKindWithAndWithoutAReason) {
  EXPECT_EQ(parse_status("failed").kind, parse_status("failed: why").kind);
  EXPECT_EQ(parse_status("infeasible").kind, parse_status("infeasible: why").kind);
}

}  // namespace
}  // namespace damocles::status_test
