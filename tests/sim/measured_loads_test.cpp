#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "sim/limited_run.hpp"

namespace damocles::measured_loads_test {
namespace {

/// Loads that the authors of IPDPS'22 measured on one V100 with 500 MiB (figure 4, transfers of an
/// iteration), 2D products of n x n tasks, whatever the time of a task or the speed of the bus.
struct Measured {
  std::uint64_t n;
  std::uint64_t dmdar;
  std::uint64_t darts;
};

const std::vector<Measured>& figure_4() {
  static const std::vector<Measured> rows{
      {5, 10, 10},    {10, 20, 20},   {15, 30, 30},   {20, 40, 43},   {25, 50, 58},
      {30, 60, 73},   {35, 104, 88},  {40, 124, 126}, {45, 144, 146}, {50, 164, 166},
      {55, 184, 224}, {60, 204, 249}, {65, 225, 274}, {70, 510, 299}, {75, 905, 382}};
  return rows;
}

std::uint64_t loads(const std::string& strategy, std::uint64_t n, const std::string& options) {
  const auto workload = Workload::parse(fmt::format("gemm2d:n={},tile=960,k=3840", n));
  const auto scenario =
      Scenario::parse("gpus:k=1,memory=500MiB,bandwidth=10.8GB/s,gflops=13253" + options);
  return simulate_limited(workload, scenario.draw(1, 0), StrategyChoice::parse(strategy, workload),
                          1, 0)
      .total_loads();
}

TEST(MeasuredLoads, OfDartsAreMetToTheLastOne) {
  for (const Measured& row : figure_4()) EXPECT_EQ(loads("darts", row.n, ""), row.darts) << row.n;
}

// The authors' pipeline was 5 tasks deep; StarPU of that time loads the same at 2, 5 and 30, since
// a processor asks for a task only when the data of those it has are there.
TEST(MeasuredLoads, OfDmdarAreMetToTheLastOneAtAnyDepth) {
  for (const char* depth : {"", ",depth=2", ",depth=5", ",depth=30"}) {
    SCOPED_TRACE(depth);
    for (const Measured& row : figure_4()) {
      EXPECT_EQ(loads("dmdar", row.n, depth), row.dmdar) << row.n;
    }
  }
}

// Whether and how outputs travel to host memory changes the time alone.
TEST(MeasuredLoads, DoNotDependOnTheWayHome) {
  const char* const home = ",writeback=traffic,streams=1,duplex=true,request=28us";
  for (const Measured& row : figure_4()) {
    EXPECT_EQ(loads("dmdar", row.n, home), row.dmdar) << row.n;
    EXPECT_EQ(loads("darts", row.n, home), row.darts) << row.n;
  }
}

}  // namespace
}  // namespace damocles::measured_loads_test
