#include "models/fifo.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "models/rng.hpp"

namespace damocles::fifo_test {
namespace {

TEST(Fifo, HoldsWhatADequeHolds) {
  Rng rng(1, Draw::test, 0);
  Fifo<int> fifo;
  std::deque<int> deque;
  for (int step = 0; step < 10'000; ++step) {
    const bool filling = step % 1000 < 500;  // long at times, and empty at others
    if (deque.empty() || rng.below(10) < (filling ? 7U : 3U)) {
      fifo.push_back(step);
      deque.push_back(step);
    } else {
      fifo.pop_front();
      deque.pop_front();
    }
    ASSERT_EQ(fifo.size(), deque.size());
    ASSERT_EQ(fifo.empty(), deque.empty());
    if (deque.empty()) continue;
    ASSERT_EQ(fifo.front(), deque.front());
    ASSERT_EQ(fifo[deque.size() - 1], deque.back());
    ASSERT_EQ(std::vector<int>(fifo.begin(), fifo.end()),
              std::vector<int>(deque.begin(), deque.end()));
  }
}

}  // namespace
}  // namespace damocles::fifo_test
