#include "models/column_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "models/bounds/grid_bound.hpp"
#include "models/rng.hpp"

namespace damocles::column_partition_test {
namespace {

std::vector<double> drawn_shares(std::size_t p, double lo, std::uint64_t seed) {
  Rng rng(seed, Draw::speeds, 0);
  std::vector<double> shares;
  for (std::size_t k = 0; k < p; ++k) shares.push_back(lo + (1 - lo) * rng.uniform());
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

double half_perimeters(const std::vector<Rectangle>& rectangles) {
  return std::accumulate(
      rectangles.begin(), rectangles.end(), 0.0,
      [](double sum, const Rectangle& one) { return sum + static_cast<double>(one.data()); });
}

/// The least sum of half-perimeters over every way to cut the ascending shares into columns, one
/// bit of `cuts` between each two; that some best arrangement is of this kind is Beaumont et al.'s
/// theorem.
double cheapest_by_search(std::vector<double> shares, double rows, double columns) {
  std::sort(shares.begin(), shares.end());
  double best = std::numeric_limits<double>::infinity();
  for (unsigned cuts = 0; cuts < 1U << (shares.size() - 1); ++cuts) {
    double cost = 0;
    double width = 0;
    double processors = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      width += shares[k];
      processors += 1;
      if (k + 1 < shares.size() && (cuts >> k & 1U) == 0) continue;
      cost += processors * width * columns + rows;
      width = processors = 0;
    }
    best = std::min(best, cost);
  }
  return best;
}

TEST(ColumnPartition, IsTwoByTwoSquaresForFourEqualProcessors) {
  const auto rectangles = column_partition(Workload::outer(10, 10), std::vector<double>(4, 0.25));
  for (const auto& one : rectangles)
    EXPECT_EQ(std::pair(one.rows(), one.columns()), std::pair(5UL, 5UL));
  EXPECT_EQ(half_perimeters(rectangles), 40);
}

TEST(ColumnPartition, TilesTheGrid) {
  for (const auto& workload :
       {Workload::outer(13, 13), Workload::outer(4, 40), Workload::outer(31, 2)}) {
    for (const std::size_t p : {1, 3, 20, 150}) {
      std::vector<int> covered(workload.tasks(), 0);
      for (const auto& one : column_partition(workload, drawn_shares(p, 0.1, p))) {
        for (auto i = one.first_row; i < one.last_row; ++i) {
          for (auto j = one.first_column; j < one.last_column; ++j)
            ++covered[i * workload.extent(1) + j];
        }
      }
      EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), covered.size()) << workload.text();
    }
  }
}

/// A large grid makes rounding small: every side is off by less than one block, so the sum by less
/// than 2p of the least there is; and it stays above the lower bound and below 7/4 of it.
TEST(ColumnPartition, IsTheCheapestArrangementInColumns) {
  for (const auto& [m, n] : {std::pair(100'000UL, 100'000UL), std::pair(20'000UL, 90'000UL)}) {
    const auto workload = Workload::outer(m, n);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const std::size_t p = 2 + seed % 9;
      const auto shares = drawn_shares(p, seed % 2 == 0 ? 0.01 : 0.5, seed);
      const auto height = static_cast<double>(m);
      const auto width = static_cast<double>(n);

      const double cost = half_perimeters(column_partition(workload, shares));

      EXPECT_NEAR(cost,
                  std::min(cheapest_by_search(shares, height, width),
                           cheapest_by_search(shares, width, height)),
                  2.0 * static_cast<double>(p))
          << "seed " << seed;
      EXPECT_GT(cost, balanced_bound(workload, shares) - 2.0 * static_cast<double>(p));
    }
  }
}

/// The dynamic programme over ascending shares with every first processor of the last column tried:
/// what it costs to arrange the first `last` of them.
double cheapest_by_plain_programme(std::vector<double> shares, double rows, double columns) {
  std::sort(shares.begin(), shares.end());
  std::vector<double> cost{0};
  for (std::size_t last = 1; last <= shares.size(); ++last) {
    double width = 0;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t first = last; first-- > 0;) {
      width += shares[first];
      const double column = static_cast<double>(last - first) * width * columns + rows;
      best = std::min(best, cost[first] + column);
    }
    cost.push_back(best);
  }
  return cost.back();
}

/// The search that ends early finds what the whole one does, also where columns are long.
TEST(ColumnPartition, IsTheCheapestOfManyProcessorsToo) {
  const double side = 1e6;
  const auto workload = Workload::outer(1'000'000, 1'000'000);
  for (const std::size_t p : {16, 40, 150, 400}) {
    for (const double least : {0.0001, 0.3, 1.0}) {
      const auto shares = drawn_shares(p, least, p);

      // Every side is off by less than one block.
      EXPECT_NEAR(half_perimeters(column_partition(workload, shares)),
                  cheapest_by_plain_programme(shares, side, side), 2.0 * static_cast<double>(p))
          << p << " processors";
    }
  }
}

TEST(ColumnPartition, StaysBelowSevenQuartersOfTheBound) {
  for (const std::size_t p : {2, 5, 17, 100, 1000}) {
    const auto shares = drawn_shares(p, 0.01, p);
    const auto workload = Workload::outer(1'000'000, 1'000'000);
    EXPECT_LT(half_perimeters(column_partition(workload, shares)),
              1.75 * balanced_bound(workload, shares));
  }
}

}  // namespace
}  // namespace damocles::column_partition_test
