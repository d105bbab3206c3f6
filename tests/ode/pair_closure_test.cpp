#include "ode/pair_closure.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/ode/shares.hpp"

namespace damocles::pair_closure_test {
namespace {

using Cell = std::array<int, 3>;

unsigned shared_by(const Cell& a, const Cell& b) {
  unsigned shared = 0;
  for (unsigned i = 0; i < 3; ++i) shared |= (a[i] == b[i] ? 1U : 0U) << i;
  return shared;
}

bool within(const Cell& cell, const std::array<int, 3>& box) {
  return cell[0] < box[0] && cell[1] < box[1] && cell[2] < box[2];
}

/// All pairs of different cells of a 4 x 3 x 5 grid, of which the processor covers 2 x 2 x 2 and
/// after the step 3 x 3 x 3, counted one by one with weights that are none of the grid's.
TEST(PairClosure, CountsPairsAsAWalkOverAllOfThemDoes) {
  const PairClosure closure({Workload::matrix(4, 3, 5), equal_shares(4)});
  const PairClosure::Weights weights{1, 1.5, 1.25, 3, 2, 5, 4, 0};
  std::vector<Cell> cells;
  const auto extents = Workload::matrix(4, 3, 5);
  for (int i = 0; i < static_cast<int>(extents.extent(0)); ++i) {
    for (int j = 0; j < static_cast<int>(extents.extent(1)); ++j) {
      for (int l = 0; l < static_cast<int>(extents.extent(2)); ++l) cells.push_back({i, j, l});
    }
  }
  double outside = 0;
  double found = 0;
  double pairs_outside = 0;
  double pairs_found = 0;
  for (const Cell& a : cells) {
    if (within(a, {2, 2, 2})) continue;
    ++outside;
    if (within(a, {3, 3, 3})) ++found;
    for (const Cell& b : cells) {
      if (a == b || within(b, {2, 2, 2})) continue;
      const double weight = weights[shared_by(a, b)];
      pairs_outside += weight;
      if (within(a, {3, 3, 3}) && within(b, {3, 3, 3})) pairs_found += weight;
    }
  }

  const auto step = closure.step({2, 2, 2}, weights);

  EXPECT_NEAR(step.found, found / outside, 1e-14);
  EXPECT_NEAR(step.both, pairs_found / pairs_outside, 1e-14);
}

/// Where pairs are no likelier than chance has it nothing persists; the first step of all meets one
/// task, and the last dimension known whole leaves none.
TEST(PairClosure, KnowsItsLimits) {
  const PairClosure closure({Workload::outer(30, 30), equal_shares(4)});
  PairClosure::Weights even;
  even.fill(1);
  // Counts of the whole and of what is met differ by the pairs of a cell with itself: 1/n.
  EXPECT_NEAR(closure.step({10, 10, 0}, even).spread, 0, 1.0 / 30);
  EXPECT_NEAR(closure.step({0, 0, 0}, even).found, 1.0 / 900, 1e-15);
  EXPECT_EQ(closure.step({0, 0, 0}, even).both, 0);
  EXPECT_EQ(closure.step({29, 29, 0}, even).found, 1);
}

/// Two tasks of one row, a of n rows and a of n columns known: both are open but where the row is
/// known and one column, or both: 1 - 2A + (a/n) a (a - 1)/(n (n - 1)).
TEST(PairClosure, WeighsPairsByTheirSharedIndices) {
  const PairClosure closure({Workload::outer(10, 10), equal_shares(4)});
  const double A = 0.16;
  const auto weights = closure.of({4, 4, 0});
  EXPECT_NEAR(weights[1], (1 - 2 * A + 0.4 * 4 * 3 / 90) / (0.84 * 0.84), 1e-14);
  EXPECT_NEAR(weights[0], (1 - 2 * A + 4 * 3 * 4 * 3 / 8100.0) / (0.84 * 0.84), 1e-14);
}

}  // namespace
}  // namespace damocles::pair_closure_test
