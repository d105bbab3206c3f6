#include "models/cuboid_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "models/bounds/grid_bound.hpp"
#include "models/rng.hpp"

namespace damocles::cuboid_partition_test {
namespace {

constexpr std::uint64_t side = 5'000;  // a grid on which rounding counts for less than 1e-3

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

double data_of(const std::vector<Cuboid>& cuboids) {
  double result = 0;
  for (const Cuboid& cuboid : cuboids) result += static_cast<double>(cuboid.data());
  return result;
}

double ratio(const std::vector<double>& shares) {
  const auto workload = Workload::matrix(side, side, side);
  return data_of(cuboid_partition(workload, shares)) / balanced_bound(workload, shares);
}

/// One plane across the cube is read once more than its three faces, wherever it lies.
TEST(CuboidPartition, OfTwoCostsOneFaceMore) {
  for (const double times : {1.0, 3.0, 10.0, 100.0}) {
    const auto shares = shares_of({1, times});
    const double least = 3 * (std::cbrt(shares[0] * shares[0]) + std::cbrt(shares[1] * shares[1]));
    EXPECT_NEAR(ratio(shares), 4 / least, 1e-6) << times;
  }
}

/// Three planes in the middle are the cheapest way to cut a cube in eight, and make the bound.
TEST(CuboidPartition, IsTwoByTwoByTwoCubesForEightEqualProcessors) {
  const auto cuboids =
      cuboid_partition(Workload::matrix(10, 10, 10), std::vector<double>(8, 0.125));
  for (const Cuboid& cuboid : cuboids) EXPECT_EQ(cuboid.tasks(), 125U);
  EXPECT_EQ(data_of(cuboids), 600);
  EXPECT_NEAR(ratio(std::vector<double>(64, 1.0 / 64)), 1, 1e-6);
}

/// A plate is cut across its longest sides: the thin one stays whole.
TEST(CuboidPartition, CutsPlatesAcrossTheLongSides) {
  const auto workload = Workload::matrix(2, 100, 100);
  for (const Cuboid& cuboid : cuboid_partition(workload, std::vector<double>(4, 0.25))) {
    EXPECT_EQ(cuboid.side(0), 2U);
    EXPECT_EQ(cuboid.side(1), 50U);
    EXPECT_EQ(cuboid.side(2), 50U);
  }
}

/// What a cuboid says it holds and reads, against its tasks one by one.
TEST(CuboidPartition, TilesTheGridAndCountsWhatItReads) {
  for (const auto& workload : {Workload::matrix(7, 7, 7), Workload::matrix(3, 20, 5),
                               Workload::matrix(1, 1, 1), Workload::matrix(16, 2, 9)}) {
    for (const std::size_t p : {1, 2, 3, 20, 150}) {
      for (const double spread : {1.0, 10.0, 1e4}) {
        std::vector<int> covered(workload.tasks(), 0);
        for (const Cuboid& cuboid : cuboid_partition(workload, drawn_shares(p, spread, p))) {
          std::vector<bool> read(workload.data());
          for (auto i = cuboid.first[0]; i < cuboid.last[0]; ++i) {
            for (auto j = cuboid.first[1]; j < cuboid.last[1]; ++j) {
              for (auto l = cuboid.first[2]; l < cuboid.last[2]; ++l) {
                const TaskId task = workload.task(i, j, l);
                ++covered[raw(task)];
                workload.for_each_input(task, [&](DataId data) { read[raw(data)] = true; });
              }
            }
          }
          ASSERT_EQ(cuboid.data(),
                    static_cast<std::uint64_t>(std::count(read.begin(), read.end(), true)));
        }
        ASSERT_EQ(std::count(covered.begin(), covered.end(), 1),
                  static_cast<std::ptrdiff_t>(covered.size()))
            << workload.text() << ", " << p << " processors, spread " << spread;
      }
    }
  }
}

/// Nobody is given more than its share but for the rounding of its boundaries: each of six faces
/// moves by half a block at most.
TEST(CuboidPartition, SharesTheTasksAsTheSpeedsAre) {
  const auto workload = Workload::matrix(300, 200, 500);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto shares = drawn_shares(2 + seed % 40, seed % 2 == 0 ? 10 : 1000, seed);
    const auto cuboids = cuboid_partition(workload, shares);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      EXPECT_NEAR(static_cast<double>(cuboids[k].tasks()),
                  shares[k] * static_cast<double>(workload.tasks()),
                  static_cast<double>(cuboids[k].data()) + 1500);
    }
  }
}

/// The least that the processors of `mine` cost in a box under every sequence of plane cuts: every
/// part of them on either side, in every direction. No order, no estimate.
double least_by_search(const std::vector<double>& volumes, unsigned mine,
                       const std::array<double, 3>& sides) {
  const auto volume = [&](unsigned set) {
    double sum = 0;
    for (std::size_t k = 0; k < volumes.size(); ++k) {
      if ((set >> k & 1U) != 0) sum += volumes[k];
    }
    return sum;
  };
  if ((mine & (mine - 1)) == 0) {
    return sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0];
  }
  double best = INFINITY;
  for (unsigned part = (mine - 1) & mine; part != 0; part = (part - 1) & mine) {
    for (std::size_t direction = 0; direction < 3; ++direction) {
      auto there = sides;
      auto behind = sides;
      there[direction] *= volume(part) / volume(mine);
      behind[direction] -= there[direction];
      best = std::min(best, least_by_search(volumes, part, there) +
                                least_by_search(volumes, mine & ~part, behind));
    }
  }
  return best;
}

/// Rounding moves each of the boundaries by half a block: less than 4 sides of the grid each.
TEST(CuboidPartition, OfFewIsWithinThreePercentOfEverySequenceOfCuts) {
  double worst = 1;
  std::size_t equal = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t p = 2 + seed % 4;
    auto volumes = drawn_shares(p, seed % 3 == 0 ? 1e3 : 8, seed);
    const auto workload = Workload::matrix(side, seed % 2 == 0 ? side : side / 3, side);
    const double cost = data_of(cuboid_partition(workload, volumes));
    for (double& volume : volumes) volume *= static_cast<double>(workload.tasks());
    const double least = least_by_search(
        volumes, (1U << p) - 1,
        {static_cast<double>(workload.extent(0)), static_cast<double>(workload.extent(1)),
         static_cast<double>(workload.extent(2))});

    EXPECT_GE(cost, least - 4.0 * side * static_cast<double>(p)) << seed;
    equal += cost <= least * 1.001 ? 1 : 0;
    worst = std::max(worst, cost / least);
  }
  EXPECT_LT(worst, 1.03);
  EXPECT_GE(equal, 50U);
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("equal", std::to_string(equal));
}

/// Nothing is proved of it. Two processors of which one is far faster cost 4 where 3 is the bound;
/// nothing is worse.
TEST(CuboidPartition, StaysBelowFourThirds) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::size_t p = 1 + seed % 37;
    const double spread = std::pow(10.0, static_cast<double>(seed % 7) / 1.5);
    worst = std::max(worst, ratio(drawn_shares(p, spread, seed)));
  }
  for (const std::size_t p : {2, 3, 5, 7, 11, 13, 100, 1000}) {
    worst = std::max(worst, ratio(std::vector<double>(p, 1.0 / static_cast<double>(p))));
  }
  EXPECT_LT(worst, 4.0 / 3);
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace damocles::cuboid_partition_test
