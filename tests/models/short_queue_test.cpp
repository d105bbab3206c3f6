#include "models/short_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "models/rng.hpp"

namespace damocles::short_queue_test {
namespace {

TEST(ShortQueue, HoldsWhatADequeHolds) {
  Rng rng(1, Draw::test, 0);
  ShortQueue<int> queue;
  std::deque<int> deque;
  for (int step = 0; step < 10'000; ++step) {
    const bool filling = step % 1000 < 500;  // long at times, and empty at others
    if (deque.empty() || rng.below(10) < (filling ? 7U : 3U)) {
      queue.push_back(step);
      deque.push_back(step);
    } else {
      queue.pop_front();
      deque.pop_front();
    }
    ASSERT_EQ(queue.size(), deque.size());
    ASSERT_EQ(queue.empty(), deque.empty());
    if (deque.empty()) continue;
    ASSERT_EQ(queue.front(), deque.front());
    ASSERT_EQ(queue[deque.size() - 1], deque.back());
    ASSERT_EQ(std::vector<int>(queue.begin(), queue.end()),
              std::vector<int>(deque.begin(), deque.end()));
  }
}

}  // namespace
}  // namespace damocles::short_queue_test
