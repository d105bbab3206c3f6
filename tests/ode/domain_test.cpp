#include "ode/domain.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ode/model.hpp"
#include "tests/ode/shares.hpp"

namespace damocles::domain_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Problem outer(std::uint64_t m, std::uint64_t n, const std::vector<double>& shares) {
  return {Workload::outer(m, n), shares};
}

ValidatedDomain only(DomainQuantity quantity, double bound) {
  return {.expected_error = 0.01, .limits = {{quantity, bound}}};
}

TEST(WhyOutside, SaysWhichLimitIsBrokenAndWhereItLies) {
  const auto square = outer(10, 10, equal_shares(8));
  EXPECT_EQ(why_outside(only(DomainQuantity::tasks_a_processor, 12.5), square, 1), "");
  EXPECT_EQ(why_outside(only(DomainQuantity::tasks_a_processor, 25), square, 1),
            "12.5 tasks a processor, validated from 25");
  EXPECT_EQ(why_outside(only(DomainQuantity::shortest_side, 20), square, 1),
            "a side of 10 blocks, validated from 20");
  EXPECT_EQ(why_outside(only(DomainQuantity::side_ratio, 2), outer(10, 50, equal_shares(8)), 1),
            "sides of 1:5, validated up to 1:2");
  EXPECT_EQ(why_outside(only(DomainQuantity::speed_ratio, 3), outer(10, 10, {0.2, 0.8}), 1),
            "speeds of 1:4, validated up to 1:3");
}

/// Of 100 tasks e^-2 leaves 13, 6.5 for each of two; `dynamic` leaves none.
TEST(WhyOutside, DependsOnTheThreshold) {
  const auto square = outer(10, 10, equal_shares(2));
  const auto left = only(DomainQuantity::left_a_processor, 7);
  EXPECT_EQ(why_outside(left, square, 1), "");
  EXPECT_EQ(why_outside(left, square, 2),
            "6.5 tasks a processor left to phase 2, validated from 7");
  EXPECT_EQ(why_outside(left, square, infinity),
            "0 tasks a processor left to phase 2, validated from 7");
  // 13 of 100 tasks, on a line of 10, half of them.
  EXPECT_EQ(why_outside(only(DomainQuantity::drawn_on_a_line, 0.65), square, 2), "");
  EXPECT_NE(why_outside(only(DomainQuantity::drawn_on_a_line, 0.64), square, 2), "");
  EXPECT_EQ(why_outside(only(DomainQuantity::growth, 1), square, 2), "");
  EXPECT_NE(why_outside(only(DomainQuantity::growth, 0.9), square, 2), "");
}

TEST(WhyOutside, IsNeverSaidOfOneProcessor) {
  for (const Model& model : models()) {
    EXPECT_EQ(why_outside(*model.domain, outer(2, 90, {1.0}), 1), "") << model.name;
  }
}

TEST(WhyOutside, SaysThatSpeedsDrift) {
  const Problem drifting(Workload::outer(100, 100), Platform{{80, 100}, 0.05, {}});
  EXPECT_NE(why_outside(*model_named("refined").domain, drifting, 2), "");
  EXPECT_EQ(why_outside(*model_named("ode").domain, drifting, 2), "");
}

/// HPDC'14's own settings, at the thresholds of its figures' valleys.
TEST(EveryModel, IsValidatedWhereThePaperUsesIt) {
  for (const Model& model : models()) {
    EXPECT_EQ(why_outside(*model.domain, outer(100, 100, equal_shares(20)), 4), "") << model.name;
    const Problem cube(Workload::matrix(40, 40, 40), equal_shares(100));
    EXPECT_EQ(why_outside(*model.domain, cube, 3), "") << model.name;
    EXPECT_GT(model.domain->expected_error, 0) << model.name;
  }
}

TEST(InWords, NamesEveryLimit) {
  EXPECT_EQ(in_words({.expected_error = 0, .limits = {}, .drift = true}), "all runs");
  EXPECT_EQ(in_words({.expected_error = 0,
                      .limits = {{DomainQuantity::tasks_a_processor, 25},
                                 {DomainQuantity::speed_ratio, 30}}}),
            "constant speeds, 25 or more tasks a processor, speeds up to 1:30");
}

}  // namespace
}  // namespace damocles::domain_test
