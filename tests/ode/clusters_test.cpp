#include "ode/clusters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace damocles::clusters_test {
namespace {

constexpr double share = 0.5;  // not looked at

FieldClass covering(double L, double count = 1) { return {count, L, share, {}}; }

double L_of(double covered) { return -std::log1p(-covered); }

/// All that a processor alone does not cover is open, so a step finds all its new cells: with a
/// known indices (a + 1)^d - a^d, less the corners.
TEST(FoundWith, IsTheWholeStepWhereNobodyElseKnowsAnything) {
  const Problem outer(Workload::outer(50, 50), std::vector<double>(2, 0.5));
  const Problem matrix(Workload::matrix(50, 50, 50), std::vector<double>(2, 0.5));
  // a = 20 of 50.
  EXPECT_NEAR(found_with(outer, {covering(L_of(0.16))}, 0.84)[0], 2 * 20, 1e-9);
  EXPECT_NEAR(found_with(matrix, {covering(L_of(0.064))}, 0.936)[0], 3 * 400, 1e-7);
}

/// 4 x 100: the other knows all rows and 60 columns, so a column is open whole or not at all; what
/// is open of the grid is (1 - A_0) (1 - A_1). The one who steps knows 2 rows and 2 columns. A task
/// in its new column (one of two) is there with 1 other for certain; in the new row with 1 other
/// that is open with probability 0.4, as columns are known independently; and of the other kind
/// there are 2 more, open with 0.4 each.
TEST(FoundWith, TakesAColumnThatIsOpenWhole) {
  const Problem wide(Workload::outer(4, 100), std::vector<double>(2, 0.5));
  const std::vector<FieldClass> classes{covering(L_of(0.01)), covering(L_of(0.6))};
  EXPECT_NEAR(found_with(wide, classes, 0.99 * 0.4)[0], 1 + (1 + 0.4) / 2 + 0.8, 1e-9);
}

TEST(ClusterSize, IsTheMeanOfAPoissonThatIsNotZero) {
  EXPECT_EQ(cluster_size(1), 1);
  EXPECT_NEAR(cluster_size(1 + 1e-4), 1 + 5e-5, 1e-8);
  EXPECT_NEAR(cluster_size(3), 2 / (1 - std::exp(-2)), 1e-12);
}

}  // namespace
}  // namespace damocles::clusters_test
