#include "orders/planned_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/rng.hpp"

namespace damocles::planned_line_test {
namespace {

/// The same by trying every end of a task.
class NaiveLine {
 public:
  [[nodiscard]] double earliest_s(double ready_s, double duration_s) const {
    std::vector<double> starts{ready_s};
    for (const auto& task : tasks_) starts.push_back(std::max(ready_s, task.second));
    double best = -1;
    for (const double start : starts) {
      bool free = true;
      for (const auto& [begin, end] : tasks_) {
        free = free && (end <= start || begin >= start + duration_s);
      }
      if (free && (best < 0 || start < best)) best = start;
    }
    return best;
  }
  void add(double start_s, double end_s) { tasks_.emplace_back(start_s, end_s); }
  [[nodiscard]] double end_s() const {
    double last_s = 0;
    for (const auto& task : tasks_) last_s = std::max(last_s, task.second);
    return last_s;
  }

 private:
  std::vector<std::pair<double, double>> tasks_;
};

TEST(PlannedLine, FindsTheFirstGapThatIsLongEnough) {
  PlannedLine line;
  EXPECT_EQ(line.earliest_s(3, 5), 3);
  line.add(3, 8);
  EXPECT_EQ(line.earliest_s(0, 3), 0);
  EXPECT_EQ(line.earliest_s(0, 4), 8);
  line.add(10, 20);
  EXPECT_EQ(line.earliest_s(0, 2), 0);
  EXPECT_EQ(line.earliest_s(2, 2), 8);
  EXPECT_EQ(line.earliest_s(2, 3), 20);
  EXPECT_EQ(line.earliest_s(12, 0), 20);
  line.add(8, 10);
  EXPECT_EQ(line.earliest_s(2, 2), 20);
}

/// Whole numbers, so that nothing is rounded. Tasks of no time are planned among the others.
TEST(PlannedLine, PlansAsTryingEveryEndDoes) {
  Rng rng(3, Draw::test, 0);
  for (int round = 0; round < 200; ++round) {
    PlannedLine line;
    NaiveLine naive;
    const std::uint64_t horizon = 1 + rng.below(60);
    for (int task = 0; task < 60; ++task) {
      const auto ready = static_cast<double>(rng.below(horizon));
      const auto duration = static_cast<double>(rng.below(8));
      const double start = line.earliest_s(ready, duration);
      if (duration > 0) {
        ASSERT_EQ(start, naive.earliest_s(ready, duration)) << round << " " << task;
      }
      line.add(start, start + duration);
      naive.add(start, start + duration);
    }
  }
}

/// Long after the beginning, where lengths of gaps are rounded more than a short task lasts
/// exactly.
TEST(PlannedLine, PlansAsTryingEveryEndDoesWhereTimesAreRounded) {
  Rng rng(4, Draw::test, 0);
  for (int round = 0; round < 200; ++round) {
    PlannedLine line;
    NaiveLine naive;
    const double unit = round % 2 == 0 ? 0.1 : 1e-7;
    const double begin = round % 3 == 0 ? 0 : 1000;
    for (int task = 0; task < 60; ++task) {
      const double ready = begin + unit * static_cast<double>(rng.below(60));
      const double duration = unit * static_cast<double>(1 + rng.below(8));
      const double start = line.earliest_s(ready, duration);
      ASSERT_EQ(start, naive.earliest_s(ready, duration)) << round << " " << task;
      line.add(start, start + duration);
      naive.add(start, start + duration);
    }
    EXPECT_EQ(line.end_s(), naive.end_s());
  }
}

}  // namespace
}  // namespace damocles::planned_line_test
