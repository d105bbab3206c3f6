#include "experiments/results/row_groups.hpp"

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/error_text.hpp"

namespace damocles::row_groups_test {
namespace {

Record row(const std::string& strategy, std::optional<double> loads) {
  Record record;
  record.strategy = strategy;
  record.platform = "gpus:k=1,memory=4data";
  record.loads = loads;
  record.status = {loads ? Status::Kind::ok : Status::Kind::infeasible};
  return record;
}

TEST(Grouped, HasMeanDeviationIntervalAndQuantiles) {
  const auto table =
      grouped({row("b", 5), row("a", 1), row("a", 2), row("a", 3)}, {"strategy"}, {});

  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"strategy", "rows", "loads", "loads_sd", "loads_ci95",
                                      "loads_q05", "loads_q50", "loads_q95"}));
  ASSERT_EQ(table.rows.size(), 2U);  // in the order in which they come
  EXPECT_EQ(table.rows[0], (std::vector<Value>{"b", std::uint64_t{1}, 5.0, {}, {}, 5.0, 5.0, 5.0}));
  // Mean 2, sample deviation 1; t(0.975, 2 degrees) = 4.302653, over sqrt(3).
  const auto& a = table.rows[1];
  EXPECT_EQ(a[0], Value("a"));
  EXPECT_EQ(a[2], Value(2.0));
  EXPECT_EQ(a[3], Value(1.0));
  EXPECT_NEAR(std::get<double>(a[4]), 2.484138, 1e-6);
  EXPECT_DOUBLE_EQ(std::get<double>(a[5]), 1.1);  // a twentieth of the way from 1 to 3
  EXPECT_EQ(a[6], Value(2.0));
  EXPECT_DOUBLE_EQ(std::get<double>(a[7]), 2.9);
}

TEST(Grouped, LeavesRowsWithoutAResultOutAndCountsThem) {
  const auto table = grouped({row("a", 1), row("a", {}), row("b", {})}, {"strategy"}, {"loads"});

  EXPECT_EQ(table.columns[2], "no_result");
  EXPECT_EQ(table.rows[0][1], Value(std::uint64_t{1}));
  EXPECT_EQ(table.rows[0][2], Value(std::uint64_t{1}));
  EXPECT_EQ(table.rows[0][3], Value(1.0));
  EXPECT_EQ(table.rows[1],
            (std::vector<Value>{"b", std::uint64_t{0}, std::uint64_t{1}, {}, {}, {}, {}, {}, {}}));
}

TEST(Grouped, GroupsByOptionsToo) {
  const auto table = grouped({row("a", 1), row("b", 2)}, {"memory"}, {"loads"});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][0], Value("4data"));
}

TEST(Grouped, RefusesWhatIsNoNumber) {
  const std::vector<Record> rows{row("a", 1)};
  const auto refused = [&](const std::string& by, const std::string& measure) {
    return error_text([&] { (void)grouped(rows, {by}, {measure}); });
  };
  EXPECT_EQ(
      refused("strategy", "platform"),
      "--columns platform: this column holds words; with --by give columns of numbers, as makespan_s");
  EXPECT_EQ(refused("strategy", "evictions"),
            "--columns evictions: no row has a value there; give a column that has, as loads");
  EXPECT_TRUE(refused("strategi", "loads")
                  .starts_with("unknown column in --by 'strategi'; did you mean 'strategy'?"));
}

}  // namespace
}  // namespace damocles::row_groups_test
