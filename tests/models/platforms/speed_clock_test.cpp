#include "models/platforms/speed_clock.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace damocles::speed_clock_test {
namespace {

constexpr ProcessorId first{0};
constexpr ProcessorId second{1};

std::vector<double> ends(SpeedClock& clock, ProcessorId processor, std::uint64_t tasks) {
  std::vector<double> result;
  static_cast<void>(clock.compute(processor, tasks, [&](double end) { result.push_back(end); }));
  return result;
}

TEST(SpeedClock, TakesTheInverseOfTheSpeedForATask) {
  SpeedClock clock(Platform{{4, 0.5}}, 1, 0);

  EXPECT_EQ(clock.compute(first, 3), 0.75);
  EXPECT_EQ(clock.compute(second, 1), 2);
  EXPECT_EQ(ends(clock, first, 3), (std::vector<double>{0.25, 0.5, 0.75}));
}

TEST(SpeedClock, DriftsByTheStreamOfTheProcessorAfterEachTask) {
  const Platform platform{{100, 3}, 0.2};
  SpeedClock clock(platform, 7, 2);
  Rng rng(7, Draw::drift, 2, 1);
  double speed = 3;
  double time = 0;
  std::vector<double> expected;
  for (int task = 0; task < 50; ++task) {
    time += 1 / speed;
    expected.push_back(time);
    speed *= 1 + 0.2 * (2 * rng.uniform() - 1);
    if (speed < 1) speed = 1;
  }

  static_cast<void>(clock.compute(first, 9));  // the other's stream is its own

  EXPECT_EQ(ends(clock, second, 50), expected);
}

TEST(SpeedClock, TakesAsLongWhetherToldOfEachTaskOrNot) {
  for (const double drift : {0.0, 0.05, 0.9}) {
    SpeedClock watched(Platform{{97.3}, drift}, 5, 0);
    SpeedClock unwatched(Platform{{97.3}, drift}, 5, 0);

    for (const std::uint64_t tasks : {1U, 7U, 100U, 0U, 3U}) {
      const double total = unwatched.compute(first, tasks);

      const auto told = ends(watched, first, tasks);

      EXPECT_EQ(told.empty() ? 0 : told.back(), total) << drift;
      EXPECT_EQ(told.size(), tasks);
    }
  }
}

}  // namespace
}  // namespace damocles::speed_clock_test
