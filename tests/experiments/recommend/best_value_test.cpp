// Which value of a varied option to choose, where all means are known.

#include "experiments/recommend/best_value.hpp"

#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"

namespace damocles::best_value_test {
namespace {

using Kind = BestValue::Kind;

void expect_value(const BestValue& value, Kind kind, std::size_t at, double gain) {
  EXPECT_EQ(value.kind, kind);
  EXPECT_EQ(value.at, at);
  EXPECT_NEAR(value.gain, gain, 1e-12);
}

TEST(BestValue, IsTheLeastBeyondWhichNoneGainsMoreThanTheTolerance) {
  expect_value(best_value({10, 5, 4.95, 4.95}, true), Kind::enough, 1, 0.01);
  expect_value(best_value({5, 5, 5}, true), Kind::enough, 0, 0);
  // Each step gains little, all of them together gain more.
  expect_value(best_value({5, 4.93, 4.86}, true), Kind::enough, 1, 1 - 4.86 / 4.93);
}

TEST(BestValue, IsTheFirstWhereNothingIsLoaded) {
  expect_value(best_value({0, 0}, true), Kind::enough, 0, 0);
  expect_value(best_value({8, 0, 0}, true), Kind::enough, 1, 0);
}

TEST(BestValue, IsTheGreatestOneWhereAllGain) {
  expect_value(best_value({4, 2, 1}, true), Kind::most, 2, 0);
  expect_value(best_value({4}, true), Kind::most, 0, 0);
}

TEST(BestValue, HasWorseOnesOnBothSides) {
  expect_value(best_value({4, 2, 3}, true), Kind::best, 1, 0);
  expect_value(best_value({1, 2, 3}, true), Kind::best, 0, 0);
}

TEST(BestValue, IsTheLeastMeanOfValuesWithoutOrder) {
  expect_value(best_value({4, 3, 2.99}, false), Kind::best, 2, 0);
}

std::vector<AdviceAt> points_at(const std::vector<std::string>& values,
                                const std::string& workload = "gemm2d:n=2") {
  std::vector<AdviceAt> points;
  for (const std::string& value : values) {
    points.push_back({value, Experiment{.workload = Workload::parse(workload),
                                        .scenario = Scenario::parse("gpus:k=1")}});
  }
  return points;
}

TEST(BestValue, OrdersNumbersOfOneUnit) {
  auto points = points_at({"1GB", "200MB", "0"});
  ASSERT_TRUE(sort_by_value(points));
  EXPECT_EQ(points[0].value, "0");
  EXPECT_EQ(points[2].value, "1GB");
  points = points_at({"80data", "5data"});
  ASSERT_TRUE(sort_by_value(points));
  EXPECT_EQ(points[0].value, "5data");
  points = points_at({"5data", "1GB"});
  EXPECT_FALSE(sort_by_value(points));
  points = points_at({"double", "tf32"});
  EXPECT_FALSE(sort_by_value(points));
}

TEST(BestValue, ComparesTheSameWorkAlone) {
  auto points = points_at({"1", "2"});
  EXPECT_TRUE(same_work(points));
  points.push_back(points_at({"3"}, "gemm2d:n=3").front());
  EXPECT_FALSE(same_work(points));
}

}  // namespace
}  // namespace damocles::best_value_test
