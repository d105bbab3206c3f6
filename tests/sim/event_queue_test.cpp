#include "sim/event_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <queue>
#include <vector>

#include "models/rng.hpp"

namespace damocles::event_queue_test {
namespace {

TEST(EventQueue, StartsEmpty) {
  for (const std::size_t processors : {1U, 2U, 3U, 64U, 100U}) {
    EXPECT_TRUE(EventQueue(processors).empty());
  }
}

TEST(EventQueue, BreaksTiesByProcessor) {
  EventQueue queue(5);
  for (const std::uint32_t p : {3U, 1U, 4U, 2U}) queue.set(ProcessorId{p}, 1.5);

  for (const std::uint32_t p : {1U, 2U, 3U, 4U}) {
    ASSERT_FALSE(queue.empty());
    EXPECT_EQ(raw(queue.next()), p);
    EXPECT_EQ(queue.next_time(), 1.5);
    queue.remove(queue.next());
  }
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, ForgetsTheTimeThatIsReplaced) {
  EventQueue queue(3);
  queue.set(ProcessorId{0}, 1);
  queue.set(ProcessorId{2}, 2);

  queue.set(ProcessorId{0}, 3);

  EXPECT_EQ(raw(queue.next()), 2U);
  queue.remove(ProcessorId{2});
  EXPECT_EQ(raw(queue.next()), 0U);
  EXPECT_EQ(queue.next_time(), 3);
}

TEST(EventQueue, AnswersAsAPriorityQueue) {
  using Event = std::pair<double, std::uint32_t>;
  for (const std::uint32_t processors : {1U, 2U, 3U, 7U, 64U, 65U, 100U}) {
    EventQueue queue(processors);
    std::priority_queue<Event, std::vector<Event>, std::greater<>> naive;
    Rng rng(1, Draw::test, processors);
    std::vector<std::uint32_t> waiting_for(processors);
    for (std::uint32_t p = 0; p < processors; ++p) {
      const auto time = static_cast<double>(rng.below(4));
      queue.set(ProcessorId{p}, time);
      naive.emplace(time, p);
    }

    for (int i = 0; i < 5000 && !naive.empty(); ++i) {
      const auto [time, processor] = naive.top();
      naive.pop();
      ASSERT_FALSE(queue.empty());
      ASSERT_EQ(queue.next_time(), time);
      ASSERT_EQ(raw(queue.next()), processor);
      if (rng.below(50) == 0) {
        queue.remove(queue.next());
        continue;
      }
      // Whole numbers, so that most events tie with others.
      const double later = time + static_cast<double>(rng.below(4));
      queue.set(ProcessorId{processor}, later);
      naive.emplace(later, processor);
    }
    EXPECT_EQ(queue.empty(), naive.empty());
  }
}

}  // namespace
}  // namespace damocles::event_queue_test
