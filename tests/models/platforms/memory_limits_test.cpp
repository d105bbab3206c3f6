#include "models/platforms/memory_limits.hpp"

#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"

namespace damocles::memory_limits_test {
namespace {

std::uint64_t depth(const char* workload, const char* platform) {
  return prefetch_depth(*Scenario::parse(platform).machine(), Workload::parse(workload));
}

// 14.7456 MB over 12 GB/s and 10 us: 1.2388 ms a transfer; 7.0779 GFlop at 13253 GFlop/s: 0.534 ms
// a task. K processors: ceil(2.3196 K) + 2.
TEST(PrefetchDepth, FollowsFromTheMachine) {
  EXPECT_EQ(depth("gemm2d:n=40", "gpus:k=1"), 5U);
  EXPECT_EQ(depth("gemm2d:n=40", "gpus:k=2"), 7U);
  EXPECT_EQ(depth("gemm2d:n=40", "gpus:k=4"), 12U);
}

TEST(PrefetchDepth, StaysBetweenTwoAndSixteen) {
  EXPECT_EQ(depth("gemm2d:n=40", "gpus:k=32"), 16U);
  // Transfers that take no time to speak of: one task runs, one is next, one for the rounding up.
  EXPECT_EQ(depth("gemm2d:n=40", "gpus:k=1,bandwidth=1000TB/s,latency=0s"), 3U);
}

}  // namespace
}  // namespace damocles::memory_limits_test
