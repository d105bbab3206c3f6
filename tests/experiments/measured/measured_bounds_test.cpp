#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/measured/comparison.hpp"
#include "orders/partitioners.hpp"

// How near our runs come to the V100s of the papers' authors, and stay. The table is the promise of
// docs/explanation/measured.md for the strategies it opens with; a change that moves a median past
// its bound must say so there.

namespace damocles::measured_bounds_test {
namespace {

struct Bound {
  std::string figure;
  std::string strategy;
  double loads_median;   ///< largest median of |ours / measured - 1|
  double gflops_median;  ///< the same of GFlop/s
};

void PrintTo(const Bound& bound, std::ostream* out) {
  *out << bound.figure << " " << bound.strategy;
}

constexpr const char* hmetis = "HMETIS+R (no part. time)";

// Each bound is what was seen when it was set, rounded up: it keeps, it does not explain.
const std::vector<Bound> bounds{
    {"ipdps22.fig3-4", "DARTS+LUF", 0.001, 0.01}, {"ipdps22.fig3-4", "DMDAR", 0.001, 0.01},
    {"ipdps22.fig3-4", "EAGER", 0.02, 0.05},      {"ipdps22.fig5-7", "DARTS+LUF", 0.02, 0.02},
    {"ipdps22.fig5-7", "DMDAR", 0.005, 0.02},     {"ipdps22.fig5-7", "EAGER", 0.02, 0.06},
    {"ipdps22.fig5-7", hmetis, 0.005, 0.05},
};

class MeasuredBounds : public testing::TestWithParam<Bound> {};

TEST_P(MeasuredBounds, HoldTheMedians) {
  const auto& bound = GetParam();
  if (bound.strategy == hmetis && !partitioner_built("zoltan"))
    GTEST_SKIP() << "Zoltan is not built in";

  const auto compared = compare_with_measured(measured_curve(bound.figure, bound.strategy),
                                              {.runs = 1, .seed = 1, .threads = 1});
  const auto groups = grouped(compared);

  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].points.size(), 15U);
  EXPECT_LE(groups[0].loads.value().median, bound.loads_median);
  EXPECT_LE(groups[0].gflops.value().median, bound.gflops_median);
}

std::string name_of(const testing::TestParamInfo<Bound>& info) {
  std::string name = info.param.strategy;
  std::erase_if(name, [](char letter) { return std::isalnum(letter) == 0; });
  return name + (info.param.figure == "ipdps22.fig3-4" ? "OnOneGpu" : "OnTwoGpus");
}

INSTANTIATE_TEST_SUITE_P(Published, MeasuredBounds, testing::ValuesIn(bounds), name_of);

/// One V100, every size: the last load.
class OnOneGpu : public testing::TestWithParam<const char*> {};

TEST_P(OnOneGpu, LoadsAreOursToTheLastOne) {
  const auto compared = compare_with_measured(measured_curve("ipdps22.fig3-4", GetParam()),
                                              {.runs = 1, .seed = 1, .threads = 1});

  for (const auto& point : compared) {
    // The measured number is a mean over 11 iterations, printed to 0.001.
    EXPECT_NEAR(point.loads.value(), point.measured->loads().value(), 0.5)
        << "n = " << point.measured->n;
  }
}

INSTANTIATE_TEST_SUITE_P(Measured, OnOneGpu, testing::Values("DARTS+LUF", "DMDAR"),
                         [](const auto& strategy) {
                           std::string name = strategy.param;
                           std::erase(name, '+');
                           return name;
                         });

}  // namespace
}  // namespace damocles::measured_bounds_test
