#include "experiments/results/row_filter.hpp"

#include <gtest/gtest.h>

#include "experiments/results/row_columns.hpp"
#include "models/error.hpp"
#include "tests/error_text.hpp"

namespace damocles::row_filter_test {
namespace {

Record row(const std::string& strategy, const std::string& workload, const std::string& platform,
           double loads) {
  Record record;
  record.source = "simulated";
  record.strategy = strategy;
  record.workload = workload;
  record.platform = platform;
  record.loads = loads;
  return record;
}

const std::vector<Record>& all() {
  static const std::vector<Record> rows{
      row("darts", "gemm2d:n=20", "gpus:k=1,memory=10data", 1),
      row("darts:eviction=lru,depth=3", "gemm2d:n=20", "gpus:k=1,memory=40data", 2),
      row("dmdar", "gemm2d:n=40", "gpus:k=2,memory=500MB", 3),
      row("eager", "outer:n=9", "speeds:1,2", 4)};
  return rows;
}

/// The loads of the rows for which the conditions hold: 1 to 4, their places.
std::vector<double> kept(const std::vector<std::string>& conditions) {
  std::vector<double> loads;
  for (const Record& record : rows_where(all(), conditions)) loads.push_back(*record.loads);
  return loads;
}

std::string refused(const std::string& condition) {
  return error_text([&] { (void)rows_where(all(), {condition}); });
}

using Loads = std::vector<double>;

TEST(RowsWhere, KeepsEqualTextsAndNamesWithAnyOptions) {
  EXPECT_EQ(kept({}), (Loads{1, 2, 3, 4}));
  EXPECT_EQ(kept({"strategy=darts"}), (Loads{1, 2}));
  EXPECT_EQ(kept({"strategy = dmdar, eager"}), (Loads{3, 4}));
  EXPECT_EQ(kept({"strategy!=darts"}), (Loads{3, 4}));
  EXPECT_EQ(kept({"strategy=darts:eviction=lru,depth=3"}), (Loads{2}));
  EXPECT_EQ(kept({"workload=gemm2d:n=20,gemm2d:n=40"}), (Loads{1, 2, 3}));
  EXPECT_EQ(kept({"platform=speeds:1,2"}), (Loads{4}));
}

TEST(RowsWhere, ComparesNumbersWithTheirUnits) {
  EXPECT_EQ(kept({"loads>=2", "loads<4"}), (Loads{2, 3}));
  EXPECT_EQ(kept({"memory>=40"}), (Loads{2, 3}));
  EXPECT_EQ(kept({"memory=0.5GB"}), (Loads{3}));
  EXPECT_EQ(kept({"memory>40data"}), (Loads{3}));
  EXPECT_EQ(kept({"n<=20"}), (Loads{1, 2, 4}));
  EXPECT_EQ(kept({"k!=1"}), (Loads{3, 4}));  // what a row does not have is unequal
}

TEST(RowsWhere, TakesSeveralConditionsFromOneText) {
  EXPECT_EQ(kept({"strategy=darts,dmdar,memory>=40"}), (Loads{2, 3}));
  EXPECT_EQ(kept({"workload=gemm2d:n=20,strategy=darts:eviction=lru,depth=3,loads<9"}), (Loads{2}));
}

TEST(RowsWhere, SaysWhatIsWrong) {
  const std::string form =
      "must be COLUMN=VALUE,VALUE or COLUMN!=VALUE, or COLUMN<NUMBER with <, <=, > or >=, as "
      "\"strategy=darts,memory>=40\"";
  for (const std::string text :
       {"strategy", "strategy=", "=darts", ",", "loads>3,4", "strategy=a,,b"}) {
    EXPECT_EQ(refused(text), "--where '" + text + "': " + form);
  }
  EXPECT_EQ(refused("loads>many"), "--where 'loads>many': 'many' is not a number");
  EXPECT_EQ(refused("strategy=drats"),
            "--where 'strategy=drats' leaves none of 4 rows: strategy has darts, "
            "darts:eviction=lru,depth=3, dmdar, eager");
  EXPECT_EQ(
      refused("strategi=darts"),
      "unknown column in --where 'strategi'; did you mean 'strategy'? valid: source, strategy, workload, "
      "platform, loads, n, k, memory, eviction, depth");
}

TEST(RowColumn, SaysWhichOptionIsMeant) {
  auto rows = all();
  rows.push_back(row("eager", "gemm2d:n=20,k=64", "gpus:k=1,memory=10data", 5));
  EXPECT_EQ(error_text([&] { (void)row_column(rows, "k", "--by"); }),
            "--by: 'k' may be workload.k or platform.k; say which");
  EXPECT_EQ(value_text(row_column(rows, "workload.k", "--by").of(rows.back())), "64");
  EXPECT_EQ(value_text(row_column(rows, "platform.k", "--by").of(rows.back())), "1");
  EXPECT_EQ(value_text(row_column(rows, "n", "--by").of(rows.back())), "20");
  EXPECT_EQ(value_text(row_column(rows, "eviction", "--by").of(rows[1])), "");  // the column
  EXPECT_EQ(value_text(row_column(rows, "strategy.eviction", "--by").of(rows[1])), "lru");
}

TEST(NumberOf, KnowsUnits) {
  EXPECT_EQ(number_of(Value("500MB")), 5e8);
  EXPECT_EQ(number_of(Value("1MiB")), 1048576);
  EXPECT_EQ(number_of(Value("40data")), 40);
  EXPECT_EQ(number_of(Value(std::uint64_t{7})), 7);
  EXPECT_EQ(number_of(Value("40parsecs")), std::nullopt);
  EXPECT_EQ(number_of(Value("true")), std::nullopt);
  EXPECT_EQ(number_of(Value()), std::nullopt);
}

}  // namespace
}  // namespace damocles::row_filter_test
