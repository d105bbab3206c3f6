#include "experiments/measured/records.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace damocles::measured_records_test {
namespace {

const Record* found(const std::vector<Record>& records, const std::string& strategy,
                    const std::string& workload) {
  const auto at = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.strategy == strategy && record.workload == workload;
  });
  return at == records.end() ? nullptr : &*at;
}

TEST(MeasuredRecords, AreTheRowsOfAFigureInOurWords) {
  const auto records = measured_records("ipdps22.fig3-4");

  EXPECT_EQ(records.size(), 4U * 15 + 5);  // without mHFP with its packing time
  const auto* const dmdar = found(records, "dmdar", "gemm2d:n=75");
  ASSERT_NE(dmdar, nullptr);
  EXPECT_EQ(dmdar->source, "measured");
  EXPECT_EQ(dmdar->processors, 1U);
  EXPECT_EQ(dmdar->data, 150U);
  EXPECT_EQ(dmdar->loads, 905);
  EXPECT_EQ(dmdar->bytes_loaded, 905.0 * 960 * 3840 * 4);
  EXPECT_EQ(dmdar->gflops, 9975.4);
  EXPECT_EQ(dmdar->makespan_s, 3.991);
  // The bound on the loads is of any schedule, the real one included.
  for (const auto& record : records) EXPECT_GE(record.volume_ratio.value(), 1) << record.workload;
}

TEST(MeasuredRecords, LeaveOutWhatWasNotMeasured) {
  const auto records = measured_records("ipdps22.fig8");

  const auto* const largest = found(records, "hypergraph:ready=10,cost=data", "gemm2d:n=220");
  ASSERT_NE(largest, nullptr);
  EXPECT_TRUE(largest->gflops);
  EXPECT_FALSE(largest->loads);
  EXPECT_FALSE(largest->volume_ratio);
  // The curve keeps its name where its threshold is not yet in force.
  EXPECT_NE(found(records, "darts:threshold=110", "gemm2d:n=20"), nullptr);
  EXPECT_TRUE(measured_records("coloc21.fig3").empty());
  // Of figure 12 only a later check is public, one size without loads.
  const auto sparse = measured_records("ipdps22.fig12");
  EXPECT_EQ(sparse.size(), 4U);  // without hMETIS+R with its partitioning time
  for (const auto& record : sparse) EXPECT_FALSE(record.loads);
}

}  // namespace
}  // namespace damocles::measured_records_test
