#include "experiments/studies/shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/error_text.hpp"

namespace damocles::shard_test {
namespace {

TEST(Shard, EveryRowIsInOnePart) {
  for (const std::uint64_t count : {1U, 2U, 3U, 7U, 16U}) {
    for (const std::size_t rows : {0U, 1U, 5U, 16U, 100U, 1001U}) {
      std::vector<std::uint64_t> parts_with(rows);
      std::vector<std::size_t> sizes;
      for (std::uint64_t index = 1; index <= count; ++index) {
        const std::vector<bool> has = Shard{index, count}.of(rows);
        for (std::size_t row = 0; row < rows; ++row) parts_with[row] += has[row] ? 1 : 0;
        sizes.push_back(static_cast<std::size_t>(std::count(has.begin(), has.end(), true)));
      }
      EXPECT_EQ(parts_with, std::vector<std::uint64_t>(rows, 1)) << rows << " rows, " << count;
      const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
      EXPECT_LE(*most - *least, 1U) << rows << " rows, " << count;
    }
  }
}

TEST(Shard, OfConsecutiveRowsEachPartHasOne) {
  // Rounds of 3 begin at row 0, 3, 6: every part has one row of each.
  for (std::uint64_t index = 1; index <= 3; ++index) {
    const std::vector<bool> has = Shard{index, 3}.of(9);
    for (std::ptrdiff_t round = 0; round < 9; round += 3) {
      EXPECT_EQ(std::count(has.begin() + round, has.begin() + round + 3, true), 1);
    }
  }
}

/// The work of the part that has most, over the mean: 30 settings of `strategies` rows each, of
/// which one takes as long as all others together.
double imbalance(std::uint64_t count, std::size_t strategies, std::size_t slow) {
  constexpr std::size_t settings = 30;
  std::vector<double> work(count);
  for (std::uint64_t index = 1; index <= count; ++index) {
    for (std::size_t row = 0; row < settings * strategies; ++row) {
      if (!Shard{index, count}.has(row)) continue;
      work[index - 1] += row % strategies == slow ? static_cast<double>(strategies - 1) : 1.0;
    }
  }
  const double mean = std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(count);
  return *std::max_element(work.begin(), work.end()) / mean;
}

TEST(Shard, ASlowStrategyIsSpreadWhateverTheirNumber) {
  // If every round began with the same part, 24 strategies would give one of 8 parts 4.3 times the
  // mean: it would have the slow one of every setting. A few slow rows more or less are chance.
  double worst = 0;
  for (const std::uint64_t count : {2U, 4U, 8U}) {
    for (std::size_t strategies = 2; strategies <= 24; ++strategies) {
      for (const std::size_t slow : {std::size_t{0}, strategies / 2, strategies - 1}) {
        worst = std::max(worst, imbalance(count, strategies, slow));
      }
    }
  }
  EXPECT_LT(worst, 2.1);
}

TEST(Shard, IsReadAsItIsWritten) {
  const Shard shard = Shard::parse("2/16");

  EXPECT_EQ(shard.index, 2U);
  EXPECT_EQ(shard.count, 16U);
  EXPECT_EQ(shard.text(), "2/16");
  EXPECT_FALSE(shard.is_whole());
  EXPECT_TRUE(Shard::parse("1/1").is_whole());
}

TEST(Shard, AnythingElseIsRefused) {
  for (const char* const text : {"", "2", "/", "2/", "/4", "0/4", "5/4", "-1/4", "1/0", "1/4/2",
                                 " 1/4", "1/1000001", "1.5/4", "99999999999999999999/4"}) {
    EXPECT_EQ(error_text([&] { (void)Shard::parse(text); }),
              std::string("--shard '") + text +
                  "': give I/N, part I of N from 1/N to N/N, as 2/16 (N is at most 1000000)");
  }
}

}  // namespace
}  // namespace damocles::shard_test
