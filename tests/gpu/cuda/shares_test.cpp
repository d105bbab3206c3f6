#include "gpu/cuda/shares.hpp"

#include <gtest/gtest.h>

#include "models/error.hpp"

namespace damocles::cuda {
namespace {

using Sizes = std::vector<std::size_t>;

// 132 multiprocessors in groups of 8; 4 belong to none.
const Groups hopper{"GPU 0 (a GPU)", 16, 8};

std::string refusal(const std::vector<unsigned>& asked) {
  try {
    (void)groups_of(asked, hopper);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Places, AreOneAGpuWhereNothingIsAsked) {
  const auto three = places({}, 3);

  ASSERT_EQ(three.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(three[i].gpu, static_cast<int>(i));
    EXPECT_FALSE(three[i].split);
  }
}

TEST(Places, GoRoundTheGpusAndSplitThoseThatAreShared) {
  const auto five = places({.processors = 5}, 3);  // GPUs 0 1 2 0 1

  ASSERT_EQ(five.size(), 5U);
  const std::vector<int> gpu{0, 1, 2, 0, 1};
  const std::vector<bool> split{true, true, false, true, true};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(five[i].gpu, gpu[i]) << i;
    EXPECT_EQ(five[i].split, split[i]) << i;
  }
}

TEST(Places, SplitEvenALoneProcessorWithAShare) {
  const auto one = places({.multiprocessors = {16}}, 4);

  ASSERT_EQ(one.size(), 1U);
  EXPECT_TRUE(one[0].split);
  EXPECT_EQ(one[0].multiprocessors, 16U);
}

TEST(Places, RefuseSharesForAnotherNumberOfProcessors) {
  EXPECT_THROW((void)places({.processors = 3, .multiprocessors = {8, 16}}, 1), InvalidInput);
  EXPECT_THROW((void)places({.multiprocessors = {8, 0}}, 1), InvalidInput);
}

TEST(GroupsOf, AreEqualWhereNothingIsAsked) {
  EXPECT_EQ(groups_of({0}, hopper), Sizes{16});
  EXPECT_EQ(groups_of({0, 0, 0}, hopper), (Sizes{5, 5, 5}));  // one is left over
  EXPECT_EQ(groups_of(std::vector<unsigned>(16, 0), hopper), Sizes(16, 1));
}

TEST(GroupsOf, FollowTheShares) {
  EXPECT_EQ(groups_of({8, 16, 32, 64}, hopper), (Sizes{1, 2, 4, 8}));
  EXPECT_EQ(groups_of({128}, hopper), Sizes{16});
}

TEST(GroupsOf, RefuseWhatTheGpuCannotGiveAndSayWhatItCan) {
  const std::string can = "GPU 0 (a GPU) can be split into 16 groups of 8 multiprocessors";

  EXPECT_EQ(refusal({8, 12}), "a processor of 12 multiprocessors cannot be had: " + can);
  EXPECT_EQ(refusal({64, 64, 8}), "processors of 136 multiprocessors in all are too many: " + can);
  EXPECT_EQ(refusal(std::vector<unsigned>(17, 0)), "17 processors on one GPU are too many: " + can);
}

}  // namespace
}  // namespace damocles::cuda
