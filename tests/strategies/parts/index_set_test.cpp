#include "strategies/parts/index_set.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "tests/statistics.hpp"

namespace damocles::index_set_test {
namespace {

TEST(IndexSet, StartsEmpty) {
  const IndexSet set(65);

  EXPECT_FALSE(set.full());
  EXPECT_TRUE(set.known().empty());
  ASSERT_EQ(set.mask().size(), 2U);
  EXPECT_EQ(set.mask()[0], 0U);
  EXPECT_EQ(set.mask()[1], 0U);
}

TEST(IndexSet, LearnsEachIndexOnce) {
  for (const std::uint32_t extent : {1U, 2U, 63U, 64U, 65U, 200U}) {
    IndexSet set(extent);
    Rng rng(1, Draw::test, extent);
    std::vector<std::uint32_t> learnt;

    while (!set.full()) {
      learnt.push_back(set.learn_random(rng));
      EXPECT_LT(learnt.back(), extent);
      // What it says it knows is what it told, in that order, and the mask says the same.
      EXPECT_TRUE(std::equal(learnt.begin(), learnt.end(), set.known().begin(), set.known().end()));
      const std::set<std::uint32_t> members(learnt.begin(), learnt.end());
      for (std::uint32_t i = 0; i < extent; ++i) {
        EXPECT_EQ((set.mask()[i / 64] >> (i % 64)) & 1U, members.contains(i)) << i;
      }
    }

    EXPECT_EQ(learnt.size(), extent);
    EXPECT_EQ(std::set<std::uint32_t>(learnt.begin(), learnt.end()).size(), extent);
  }
}

TEST(IndexSet, LearnsAsAWholePermutationWouldWhetherFewAreKnownOrMany) {
  for (const std::uint32_t extent : {1U, 100U, 5000U}) {
    IndexSet set(extent);
    Rng rng(3, Draw::test, extent);
    Rng same(3, Draw::test, extent);
    std::vector<std::uint32_t> permutation(extent);
    std::iota(permutation.begin(), permutation.end(), 0U);
    for (std::uint32_t i = 0; i < extent; ++i) {
      std::swap(permutation[i], permutation[i + same.below(extent - i)]);
      ASSERT_EQ(set.learn_random(rng), permutation[i]) << "draw " << i << " of " << extent;
    }
  }
}

TEST(IndexSet, LearnsInEachOrderEquallyOften) {
  Rng rng(2, Draw::test, 0);
  std::vector<double> counts(27, 0);

  for (int repetition = 0; repetition < 12'000; ++repetition) {
    IndexSet set(3);
    std::size_t code = 0;
    for (int i = 0; i < 3; ++i) code = code * 3 + set.learn_random(rng);
    ++counts[code];
  }

  std::vector<double> orders;
  for (const double count : counts) {
    if (count > 0) orders.push_back(count);
  }
  ASSERT_EQ(orders.size(), 6U);
  EXPECT_LT(chi_square(orders), chi_square_bound(6));
}

}  // namespace
}  // namespace damocles::index_set_test
