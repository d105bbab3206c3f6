#include "models/runs/record.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/error_text.hpp"

namespace damocles::record_test {
namespace {

const Column& column(std::string_view name) {
  for (const auto& candidate : columns()) {
    if (candidate.name == name) return candidate;
  }
  throw std::out_of_range(std::string(name));
}

TEST(Record, HasTheColumnsOfTheDesignInTheirOrder) {
  const std::vector<std::string_view> expected{"source",
                                               "model",
                                               "strategy",
                                               "eviction",
                                               "workload",
                                               "platform",
                                               "processors",
                                               "tasks",
                                               "data",
                                               "seed",
                                               "replicate",
                                               "beta",
                                               "loads",
                                               "bytes_loaded",
                                               "lower_bound",
                                               "volume_ratio",
                                               "makespan_s",
                                               "makespan_lower_bound_s",
                                               "makespan_ratio",
                                               "flops",
                                               "gflops",
                                               "busy_fraction",
                                               "scheduling_s",
                                               "status",
                                               "n",
                                               "mean",
                                               "sd",
                                               "ci95",
                                               "balanced_bound",
                                               "heterogeneity",
                                               "evictions",
                                               "invalidations",
                                               "loads_first",
                                               "loads_after_eviction",
                                               "loads_after_invalidation",
                                               "loads_from_peers",
                                               "bytes_written",
                                               "energy_j",
                                               "planned_makespan_s",
                                               "kernel_times",
                                               "domain",
                                               "expected_error",
                                               "inputs",
                                               "version"};
  std::vector<std::string_view> names;
  for (const auto& each : columns()) names.push_back(each.name);

  EXPECT_EQ(names, expected);
}

TEST(Record, LeavesAbsentValuesEmpty) {
  const Record record{};
  for (const auto& each : columns()) EXPECT_EQ(cell(record, each), "") << each.name;
}

TEST(Record, ReadsBackWhatItWrites) {
  Record record{};
  set_cell(record, column("strategy"), "dynamic-2phases:beta=3");
  set_cell(record, column("seed"), "18446744073709551615");
  set_cell(record, column("replicate"), "0");
  record.volume_ratio = 0.1;
  record.makespan_s = 1.0 / 3;
  record.loads = 1e9;

  for (const auto& each : columns()) {
    Record copy{};
    set_cell(copy, each, cell(record, each));
    EXPECT_EQ(cell(copy, each), cell(record, each)) << each.name;
  }
  EXPECT_EQ(record.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(cell(record, column("replicate")), "0");
  EXPECT_EQ(cell(record, column("volume_ratio")), "0.1");
  Record third{};
  set_cell(third, column("makespan_s"), cell(record, column("makespan_s")));
  EXPECT_EQ(third.makespan_s, 1.0 / 3);  // to the last bit
}

TEST(Record, RefusesTextWhereANumberBelongs) {
  Record record{};
  EXPECT_NE(error_text([&] { set_cell(record, column("seed"), "-1"); }), "no error");
  EXPECT_NE(error_text([&] { set_cell(record, column("loads"), "many"); }), "no error");
}

}  // namespace
}  // namespace damocles::record_test
