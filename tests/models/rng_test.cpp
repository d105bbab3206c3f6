#include "models/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "tests/statistics.hpp"

namespace damocles::rng_test {
namespace {

std::vector<std::uint64_t> first(Rng rng, int count = 9) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(rng.next());
  return numbers;
}

/// Philox4x64-10 typed from Salmon et al., SC'11, section 4.3.
std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> c,
                                    std::array<std::uint64_t, 2> key) {
  __extension__ using Wide = unsigned __int128;
  for (int round = 0; round < 10; ++round) {
    const Wide even = Wide{0xD2E7470EE14C6C93U} * c[0];
    const Wide odd = Wide{0xCA5A826395121157U} * c[2];
    c = {static_cast<std::uint64_t>(odd >> 64U) ^ c[1] ^ key[0], static_cast<std::uint64_t>(odd),
         static_cast<std::uint64_t>(even >> 64U) ^ c[3] ^ key[1], static_cast<std::uint64_t>(even)};
    key[0] += 0x9E3779B97F4A7C15U;
    key[1] += 0xBB67AE8584CAA73BU;
  }
  return c;
}

TEST(Rng, AnswersAsTheKnownAnswerTestOfRandom123) {
  // kat_vectors of Random123: philox4x64 10, counter 0, key 0.
  const std::vector<std::uint64_t> expected{0x16554d9eca36314cU, 0xdb20fe9d672d0fdcU,
                                            0xd7e772cee186176bU, 0x7e68b68aec7ba23bU};

  EXPECT_EQ(first(Rng(0, static_cast<Draw>(0), 0), 4), expected);
}

TEST(Rng, CountsBlocksUnderSeedPurposeReplicateAndSubstream) {
  const auto numbers = first(Rng(42, Draw::drift, 7, 5), 8);

  for (std::uint64_t block = 0; block < 2; ++block) {
    const auto expected = philox({block, 7, 5, 0}, {42, 2});  // Draw::drift is 2
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(numbers[block * 4 + i], expected[i]);
  }
}

TEST(Rng, RepeatsAStreamByItsKey) {
  EXPECT_EQ(first(Rng(1, Draw::strategy, 2, 3)), first(Rng(1, Draw::strategy, 2, 3)));
}

TEST(Rng, GivesEachPartOfTheKeyItsOwnStream) {
  const std::vector<std::vector<std::uint64_t>> streams{
      first(Rng(1, Draw::strategy, 2, 3)), first(Rng(2, Draw::strategy, 2, 3)),
      first(Rng(1, Draw::drift, 2, 3)),    first(Rng(1, Draw::start_order, 2, 3)),
      first(Rng(1, Draw::speeds, 2, 3)),   first(Rng(1, Draw::strategy, 3, 3)),
      first(Rng(1, Draw::strategy, 2, 4)), first(Rng(1, Draw::strategy, 3, 2))};

  std::map<std::uint64_t, int> seen;
  for (const auto& stream : streams) {
    for (const std::uint64_t number : stream) ++seen[number];
  }

  // 72 numbers of 64 bits: two equal ones have probability 72^2 / 2^65 if all streams differ.
  EXPECT_EQ(seen.size(), streams.size() * 9);
}

TEST(Rng, DrawsEachIntegerBelowTheBoundEquallyOften) {
  for (const std::uint64_t bound : {1U, 2U, 3U, 10U, 1000U}) {
    Rng rng(3, Draw::test, bound);
    std::vector<double> counts(bound, 0);

    for (int i = 0; i < 200'000; ++i) {
      const std::uint64_t drawn = rng.below(bound);
      ASSERT_LT(drawn, bound);
      ++counts[drawn];
    }

    if (bound > 1) {
      EXPECT_LT(chi_square(counts), chi_square_bound(bound)) << bound;
    }
  }
}

TEST(Rng, DrawsWithoutBiasWhereTheBoundDoesNotDivideTheRange) {
  // Without rejection, 4 neighbouring draws share 3 numbers below 3 * 2^62, and one residue of 3
  // comes up half of the time.
  Rng rng(4, Draw::test, 0);
  std::vector<double> counts(3, 0);

  for (int i = 0; i < 30'000; ++i) ++counts[rng.below(std::uint64_t{3} << 62U) % 3];

  EXPECT_LT(chi_square(counts), chi_square_bound(3));
}

TEST(Rng, DrawsUniformNumbersFromZeroUpToOne) {
  constexpr int size = 100'000;
  Rng rng(5, Draw::test, 0);
  std::vector<double> counts(50, 0);

  for (int i = 0; i < size; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_EQ(u * 0x1p53, std::floor(u * 0x1p53));  // a multiple of 2^-53
    ++counts[static_cast<std::size_t>(u * 50)];
  }

  EXPECT_LT(chi_square(counts), chi_square_bound(50));
}

TEST(Rng, ShufflesIntoEachOrderEquallyOften) {
  Rng rng(6, Draw::test, 0);
  std::map<std::array<int, 4>, double> orders;

  for (int i = 0; i < 24'000; ++i) {
    std::array<int, 4> items{0, 1, 2, 3};
    rng.shuffle(std::span<int>(items));
    ++orders[items];
  }

  ASSERT_EQ(orders.size(), 24U);
  std::vector<double> counts;
  for (const auto& [order, count] : orders) counts.push_back(count);
  EXPECT_LT(chi_square(counts), chi_square_bound(24));
}

TEST(Rng, ShufflesFromTheBack) {
  Rng rng(7, Draw::test, 0);
  Rng same = rng;
  std::vector<int> items{10, 11, 12, 13, 14};
  std::vector<int> expected = items;

  rng.shuffle(std::span<int>(items));

  for (std::size_t i = 5; i > 1; --i) std::swap(expected[i - 1], expected[same.below(i)]);
  EXPECT_EQ(items, expected);
  EXPECT_EQ(rng.next(), same.next());  // and no draw more
}

TEST(Rng, LeavesNothingAndOneAsTheyAre) {
  Rng rng(8, Draw::test, 0);
  std::vector<int> none;
  std::vector<int> one{3};

  rng.shuffle(std::span<int>(none));
  rng.shuffle(std::span<int>(one));

  EXPECT_EQ(one, std::vector<int>{3});
}

}  // namespace
}  // namespace damocles::rng_test
