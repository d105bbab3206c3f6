#include "models/nrrp_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/bounds/grid_bound.hpp"
#include "models/rng.hpp"

namespace damocles::nrrp_partition_test {
namespace {

constexpr std::uint64_t side = 1'000'000;  // a grid on which rounding does not count

std::vector<double> shares_of(std::vector<double> speeds) {
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  for (double& speed : speeds) speed /= sum;
  return speeds;
}

/// Speeds whose logarithm is uniform: the fastest up to `spread` times the slowest.
std::vector<double> drawn_shares(std::size_t p, double spread, std::uint64_t seed) {
  Rng rng(seed, Draw::speeds, 0);
  std::vector<double> speeds(p);
  for (double& speed : speeds) speed = std::pow(spread, rng.uniform());
  return shares_of(speeds);
}

double data_of(const std::vector<Zone>& zones) {
  double result = 0;
  for (const Zone& zone : zones) result += static_cast<double>(zone.data());
  return result;
}

double ratio(const std::vector<double>& shares) {
  const auto workload = Workload::outer(side, side);
  return data_of(nrrp_partition(workload, shares)) / balanced_bound(workload, shares);
}

/// Two processors: a straight cut costs 3, the square in the corner 2 + 2 sqrt(s), less where the
/// slower one has less than a quarter.
TEST(NrrpPartition, OfTwoIsTheCheaperOfTheCutAndTheSquareCorner) {
  for (const double times : {1.0, 1.5, 2.9, 3.1, 10.0, 100.0}) {
    const auto shares = shares_of({1, times});
    const double least = 2 * (std::sqrt(shares[0]) + std::sqrt(shares[1]));
    EXPECT_NEAR(ratio(shares), std::min(3.0, 2 + 2 * std::sqrt(shares[0])) / least, 1e-5) << times;
  }
  EXPECT_NEAR(ratio(shares_of({10, 1})), 1.0371, 1e-4);
}

TEST(NrrpPartition, IsTwoByTwoSquaresForFourEqualProcessors) {
  const auto zones = nrrp_partition(Workload::outer(10, 10), std::vector<double>(4, 0.25));
  for (const Zone& zone : zones) EXPECT_EQ(zone.tasks(), 25U);
  EXPECT_EQ(data_of(zones), 40);
}

/// What a zone says it holds and reads, against its tasks one by one.
TEST(NrrpPartition, TilesTheGridAndCountsWhatItReads) {
  for (const auto& workload :
       {Workload::outer(13, 13), Workload::outer(4, 40), Workload::outer(31, 2),
        Workload::outer(1, 1), Workload::outer(60, 50)}) {
    const std::uint64_t columns = workload.extent(1);
    for (const std::size_t p : {1, 2, 3, 20, 150}) {
      for (const double spread : {1.0, 10.0, 1e4}) {
        std::vector<int> covered(workload.tasks(), 0);
        for (const Zone& zone : nrrp_partition(workload, drawn_shares(p, spread, p))) {
          std::vector<bool> rows_read(workload.extent(0));
          std::vector<bool> columns_read(columns);
          std::uint64_t tasks = 0;
          for (auto i = zone.around.first_row; i < zone.around.last_row; ++i) {
            for (auto j = zone.around.first_column; j < zone.last_column(i); ++j) {
              ++covered[i * columns + j];
              ++tasks;
              rows_read[i] = columns_read[j] = true;
            }
          }
          ASSERT_EQ(zone.tasks(), tasks);
          ASSERT_EQ(zone.data(), static_cast<std::uint64_t>(
                                     std::count(rows_read.begin(), rows_read.end(), true) +
                                     std::count(columns_read.begin(), columns_read.end(), true)));
        }
        ASSERT_EQ(std::count(covered.begin(), covered.end(), 1), covered.size())
            << workload.text() << ", " << p << " processors, spread " << spread;
      }
    }
  }
}

/// Nobody is given more than its share but for the rounding of its boundaries.
TEST(NrrpPartition, SharesTheTasksAsTheSpeedsAre) {
  const auto workload = Workload::outer(3000, 5000);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto shares = drawn_shares(2 + seed % 20, seed % 2 == 0 ? 10 : 1000, seed);
    const auto zones = nrrp_partition(workload, shares);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      EXPECT_NEAR(static_cast<double>(zones[k].tasks()),
                  shares[k] * static_cast<double>(workload.tasks()), 2.0 * 8000);
    }
  }
}

/// The least that [first, last), in order of speed, cost in a rectangle under every corner and
/// every cut across the longer side: no estimate leaves one out.
double least_by_search(const std::vector<double>& areas, std::size_t first, std::size_t last,
                       double a, double b) {
  if (last - first == 1) return a + b;
  const auto area = [&](std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += areas[k];
    return sum;
  };
  double best = INFINITY;
  for (std::size_t split = first + 1; split < last; ++split) {
    const double longer = std::max(a, b);
    const double shorter = std::min(a, b);
    const double there = longer * area(first, split) / area(first, last);
    best = std::min(best, least_by_search(areas, first, split, there, shorter) +
                              least_by_search(areas, split, last, longer - there, shorter));
  }
  const double square = std::sqrt(area(first + 1, last));
  if (square < std::min(a, b)) {
    best = std::min(best, a + b + least_by_search(areas, first + 1, last, square, square));
  }
  return best;
}

TEST(NrrpPartition, OfFewIsTheCheapestOfAllItsCuts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    auto shares = drawn_shares(2 + seed % 5, seed % 3 == 0 ? 1e3 : 8, seed);
    const auto workload = Workload::outer(side, seed % 2 == 0 ? side : side / 3);
    const double cost = data_of(nrrp_partition(workload, shares));
    std::sort(shares.rbegin(), shares.rend());
    const auto rows = static_cast<double>(workload.extent(0));
    const auto columns = static_cast<double>(workload.extent(1));
    for (double& share : shares) share *= rows * columns;

    EXPECT_NEAR(cost, least_by_search(shares, 0, shares.size(), rows, columns), 20) << seed;
  }
}

/// The ratio that the papers prove of NRRP.
TEST(NrrpPartition, StaysBelowTwoOverTheRootOfThree) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const std::size_t p = 1 + seed % 37;
    const double spread = std::pow(10.0, static_cast<double>(seed % 7) / 1.5);
    worst = std::max(worst, ratio(drawn_shares(p, spread, seed)));
  }
  for (const std::size_t p : {2, 3, 5, 7, 11, 13, 100, 1000}) {
    worst = std::max(worst, ratio(std::vector<double>(p, 1.0 / static_cast<double>(p))));
  }
  EXPECT_LT(worst, 2 / std::sqrt(3.0));
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace damocles::nrrp_partition_test
