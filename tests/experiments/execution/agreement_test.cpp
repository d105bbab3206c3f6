#include "experiments/execution/agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace damocles::agreement_test {
namespace {

struct Row {
  std::string source;
  std::uint64_t replicate;
  double ratio;
  double makespan_s = 1;
};

Record record(const Row& row, const std::string& strategy = "random") {
  Record result;
  result.source = row.source;
  result.strategy = strategy;
  result.replicate = row.replicate;
  result.volume_ratio = row.ratio;
  result.makespan_s = row.makespan_s;
  result.status = {Status::Kind::ok};
  return result;
}

std::vector<Record> records(const std::vector<Row>& rows) {
  std::vector<Record> result;
  for (const Row& row : rows) result.push_back(record(row));
  return result;
}

Record prediction(double ratio, Record::Real sd, const std::string& model = "refined") {
  Record result = record({"predicted", 0, ratio});
  result.model = model;
  result.sd = sd;
  return result;
}

double unscaled(std::uint64_t) { return 1; }

Agreement only(const std::vector<Record>& of, const TimeScale& scale = unscaled) {
  const auto rows = agreements(of, "refined", scale);
  EXPECT_EQ(rows.size(), 1U);
  return rows.empty() ? Agreement{} : rows.front();
}

TEST(Agreement, AllowsStudentsIntervalOfTheDifference) {
  const auto row = only(records({{"simulated", 0, 1},
                                 {"simulated", 1, 2},
                                 {"simulated", 2, 3},
                                 {"executed", 0, 2},
                                 {"executed", 1, 4}}));

  // Simulated: mean 2, sd 1, n 3. Executed: mean 3, sd sqrt(2), n 2. Half width:
  // t(0.975, 3) sqrt(1/3 + 2/2) = 3.182446 * 1.154701 = 3.674773; over the mean, half of that.
  EXPECT_DOUBLE_EQ(row.difference, 0.5);
  EXPECT_NEAR(row.allowed, 1.8373863, 1e-6);
  EXPECT_EQ(row.verdict(), "agrees");
}

TEST(Agreement, GivesAMeanOfOneRunTheOthersDeviation) {
  const auto row = only(
      records({{"simulated", 0, 1}, {"simulated", 1, 2}, {"simulated", 2, 3}, {"executed", 0, 9}}));

  // t(0.975, 2) sqrt(1/3 + 1/1) = 4.302653 * 1.154701 = 4.968275; difference 9 / 2 - 1.
  EXPECT_NEAR(row.allowed, 4.968275 / 2, 1e-6);
  EXPECT_DOUBLE_EQ(row.difference, 3.5);
  EXPECT_EQ(row.verdict(), "outside simulated");
}

TEST(Agreement, OfOneRunEachAllowsNothing) {
  EXPECT_EQ(only(records({{"simulated", 0, 2}, {"executed", 0, 2}})).verdict(), "agrees");
  EXPECT_EQ(only(records({{"simulated", 0, 2}, {"executed", 0, 2.001}})).verdict(),
            "outside simulated");
}

TEST(Agreement, WithoutSpreadAllowsRoundingOnly) {
  const auto spread = [](double executed) {
    return only(records({{"simulated", 0, 2},
                         {"simulated", 1, 2},
                         {"executed", 0, executed},
                         {"executed", 1, executed}}));
  };

  EXPECT_EQ(spread(2).allowed, 0);
  EXPECT_TRUE(spread(2 * (1 + 1e-13)).agrees_with_simulation());
  EXPECT_FALSE(spread(2 * (1 + 1e-11)).agrees_with_simulation());
  EXPECT_FALSE(spread(2 * (1 - 1e-11)).agrees_with_simulation());
}

TEST(Agreement, TakesTwoDeviationsOfASingleRunAsTheBand) {
  const auto with = [](double predicted, double executed) {
    auto rows = records({{"simulated", 0, 2}, {"executed", 0, executed}});
    rows.push_back(prediction(predicted, 0.25));
    return only(rows);
  };

  EXPECT_EQ(with(2.5, 2).in_band, true);  // 2 deviations off
  EXPECT_EQ(with(1.5, 2).in_band, true);
  EXPECT_EQ(with(2.5001, 2).in_band, false);
  EXPECT_EQ(with(2.5, 2).verdict(), "agrees");
  EXPECT_EQ(with(2.6, 2).verdict(), "outside predicted");
  EXPECT_EQ(with(3, 3).verdict(), "outside simulated");
  EXPECT_EQ(with(2, 3).verdict(), "outside both");
}

TEST(Agreement, HasNoBandWithoutAPredictedDeviation) {
  auto rows = records({{"simulated", 0, 2}, {"executed", 0, 2}});
  EXPECT_EQ(only(rows).predicted, std::nullopt);
  rows.push_back(prediction(7, 0.1, "paper"));  // another model
  EXPECT_EQ(only(rows).predicted, std::nullopt);
  rows.push_back(prediction(7, std::nullopt));

  const auto row = only(rows);

  EXPECT_EQ(row.predicted.value().volume_ratio, 7);
  EXPECT_EQ(row.in_band, std::nullopt);
  EXPECT_EQ(row.verdict(), "agrees");
}

TEST(Agreement, HoldsMakespansOfTheSameReplicateAgainstEachOther) {
  const auto rows = records({{"simulated", 0, 2, 10},
                             {"simulated", 1, 2, 20},
                             {"executed", 1, 2, 0.5},
                             {"executed", 0, 2, 0.3},
                             {"executed", 2, 2, 99}});  // has no twin
  const auto scale = [](std::uint64_t replicate) { return replicate == 0 ? 0.02 : 0.0125; };

  // 0.3 / (10 * 0.02) - 1 = 0.5 and 0.5 / (20 * 0.0125) - 1 = 1.
  EXPECT_NEAR(*only(rows, scale).makespan_error, 0.75, 1e-12);
}

TEST(Agreement, HasNoMakespanErrorWhereTimesAreNotRelated) {
  const auto rows = records({{"simulated", 0, 2, 10}, {"executed", 0, 2, 10}});
  const auto unpaired = records({{"simulated", 0, 2, 10}, {"executed", 1, 2, 10}});

  EXPECT_EQ(only(rows, [](std::uint64_t) { return 0.0; }).makespan_error, std::nullopt);
  EXPECT_EQ(only(unpaired).makespan_error, std::nullopt);
  EXPECT_EQ(only(rows).makespan_error, 0);
}

/// A verdict needs volume and time: 20 % are allowed, and where times are not related it says so.
TEST(Agreement, NeedsTheTimeToo) {
  const auto verdict = [](double executed_s, double ratio = 2) {
    return only(records({{"simulated", 0, 2, 10}, {"executed", 0, ratio, executed_s}})).verdict();
  };

  EXPECT_EQ(verdict(11.9), "agrees");
  EXPECT_EQ(verdict(8.1), "agrees");
  EXPECT_EQ(verdict(12.1), "volume agrees, time does not");
  EXPECT_EQ(verdict(7.9), "volume agrees, time does not");
  EXPECT_EQ(verdict(1109.7), "volume agrees, time does not");
  EXPECT_EQ(verdict(10, 3), "outside simulated");
  const auto rows = records({{"simulated", 0, 2, 10}, {"executed", 0, 2, 10}});
  EXPECT_EQ(only(rows, [](std::uint64_t) { return 0.0; }).verdict(), "volume agrees");
}

/// Where nobody reads anything there is no ratio: volumes agree if both are 0.
TEST(Agreement, HoldsLoadsWhereTheBoundIsNone) {
  auto rows = records({{"simulated", 0, 0}, {"executed", 0, 0}});
  for (Record& row : rows) {
    row.volume_ratio.reset();
    row.loads = 0;
  }
  EXPECT_EQ(only(rows).verdict(), "agrees");
  rows[1].loads = 1;
  EXPECT_EQ(only(rows).verdict(), "outside simulated");
}

TEST(Agreement, IsOfStrategiesThatWereBothSimulatedAndExecutedInTheirOrder) {
  std::vector<Record> rows;
  for (const char* const strategy : {"sorted", "dynamic", "random"}) {
    rows.push_back(record({"simulated", 0, 2}, strategy));
  }
  for (const char* const strategy : {"random", "sorted", "static-columns"}) {
    rows.push_back(record({"executed", 0, 2}, strategy));
  }

  const auto result = agreements(rows, "refined", unscaled);

  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].strategy, "sorted");
  EXPECT_EQ(result[1].strategy, "random");
}

TEST(Agreement, LeavesFailedRunsOut) {
  auto rows = records({{"simulated", 0, 2}, {"executed", 0, 2}, {"executed", 1, 0.1}});
  rows.back().status = {Status::Kind::failed};
  EXPECT_EQ(only(rows).verdict(), "agrees");

  rows[1].status = {Status::Kind::failed};

  EXPECT_TRUE(agreements(rows, "refined", unscaled).empty());
}

}  // namespace
}  // namespace damocles::agreement_test
