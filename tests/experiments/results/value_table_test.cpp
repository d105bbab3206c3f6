#include "experiments/results/value_table.hpp"

#include <gtest/gtest.h>

#include "experiments/results/csv.hpp"

namespace damocles::value_table_test {
namespace {

TEST(ValueTable, OfRecordsIsTheirCsv) {
  Record full;
  full.source = "simulated";
  full.strategy = "darts:eviction=lru, \"quoted\"";
  full.tasks = 3;
  full.loads = 0.1;
  full.evictions = 0;
  const std::vector<Record> records{full, Record{}};

  const ValueTable table = value_table(records);

  EXPECT_EQ(to_csv(table), to_csv(records));
  EXPECT_EQ(table.rows[0][0], Value(std::string("simulated")));
  EXPECT_EQ(table.rows[1][0], Value());
}

}  // namespace
}  // namespace damocles::value_table_test
