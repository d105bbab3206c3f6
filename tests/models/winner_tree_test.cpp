#include "models/winner_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "models/rng.hpp"

namespace damocles::winner_tree_test {
namespace {

constexpr std::uint64_t worst = std::numeric_limits<std::uint64_t>::max();

std::size_t first_smallest(const std::vector<std::uint64_t>& keys) {
  return static_cast<std::size_t>(std::min_element(keys.begin(), keys.end()) - keys.begin());
}

TEST(WinnerTree, PrefersTheLeftmostOfEqualKeys) {
  WinnerTree<int> keys(99);
  for (const int key : {3, 1, 2, 1, 1}) keys.push_back(key);

  EXPECT_EQ(keys.best(), 1U);
  keys.set(1, 2);
  EXPECT_EQ(keys.best(), 3U);
  keys.set(0, 1);
  EXPECT_EQ(keys.best(), 0U);
}

TEST(WinnerTree, FindsAPositionEvenWhereAllKeysAreTheWorst) {
  WinnerTree<std::uint64_t> keys(worst);
  for (int i = 0; i < 100; ++i) keys.push_back(worst);

  EXPECT_EQ(keys.best(), 0U);
}

TEST(WinnerTree, StartsAgainAfterClear) {
  WinnerTree<int> keys(99);
  for (int i = 0; i < 100; ++i) keys.push_back(-i);
  keys.clear();

  keys.push_back(5);

  EXPECT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys.best(), 0U);
  EXPECT_EQ(keys.key(0), 5);
}

// Few different keys make ties, many make changes of the winner; sizes cross 8, 64 and 512, where
// the tree gains a level.
TEST(WinnerTree, AgreesWithALinearScanOverRandomChanges) {
  for (std::uint64_t replicate = 0; replicate < 20; ++replicate) {
    Rng rng(1, Draw::test, replicate);
    WinnerTree<std::uint64_t> tree(worst);
    std::vector<std::uint64_t> keys;
    const std::uint64_t different = replicate % 2 == 0 ? 4 : 1000;

    for (int step = 0; step < 4000; ++step) {
      const std::uint64_t key = rng.below(10) == 0 ? worst : rng.below(different);
      const std::uint64_t kind = keys.empty() ? 0 : rng.below(4);
      if (kind == 0) {
        keys.push_back(key);
        tree.push_back(key);
      } else {
        const std::size_t at = rng.below(3) == 0 ? first_smallest(keys) : rng.below(keys.size());
        if (kind == 1 && keys[at] <= key) {
          tree.raise(at, key);
        } else {
          tree.set(at, key);
        }
        keys[at] = key;
        EXPECT_EQ(tree.key(at), key);
      }
      if (rng.below(3) == 0) {
        ASSERT_EQ(tree.best(), first_smallest(keys)) << step;
      }
      if (rng.below(3) == 0) {
        const std::uint64_t most = rng.below(different);
        const auto low = [&](std::uint64_t one) { return one <= most; };
        const auto at = std::find_if(keys.begin(), keys.end(), low);
        const auto found = tree.first_if(low);
        ASSERT_EQ(found.has_value(), at != keys.end()) << step;
        if (found) {
          ASSERT_EQ(*found, static_cast<std::size_t>(at - keys.begin())) << step;
        }
      }
    }
    EXPECT_EQ(tree.size(), keys.size());
  }
}

}  // namespace
}  // namespace damocles::winner_tree_test
