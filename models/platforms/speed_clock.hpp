#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/platform.hpp"
#include "models/rng.hpp"

namespace damocles {

/// How long tasks take where a task takes 1/s: speeds as they are now, fixed, or drifting after
/// each task (dyn.x scenarios).
///
/// With drift d, after each task s <- max(1, s (1 + u)) with u uniform in [-d, d). Each processor
/// draws from a stream of its own, so its times depend on (seed, replicate) and on how many tasks
/// it has computed, not on the others.
/// Source: HPDC'14 section 3.5.
class SpeedClock {
 public:
  SpeedClock(const Platform& platform, std::uint64_t seed, std::uint64_t replicate)
      : speeds_(platform.speeds), drift_(platform.drift) {
    if (drift_ == 0) return;
    for (std::size_t p = 0; p < speeds_.size(); ++p) {
      rngs_.emplace_back(seed, Draw::drift, replicate, p);
    }
  }

  /// Time [s] the processor takes for `tasks` tasks in a row; its speed drifts as it computes them.
  double compute(ProcessorId processor, std::uint64_t tasks) {
    if (drift_ == 0) return static_cast<double>(tasks) / speeds_[raw(processor)];
    return compute(processor, tasks, [](double) {});
  }

  /// The same to the last bit, and calls ended(double) with the time [s] from the start of the
  /// first to the end of each.
  template <typename Ended>
  double compute(ProcessorId processor, std::uint64_t tasks, Ended&& ended) {
    double& speed = speeds_[raw(processor)];
    double time = 0;
    for (std::uint64_t task = 1; task <= tasks; ++task) {
      if (drift_ == 0) {
        time = static_cast<double>(task) / speed;
      } else {
        time += 1 / speed;
        drift(speed, rngs_[raw(processor)]);
      }
      ended(time);
    }
    return time;
  }

 private:
  void drift(double& speed, Rng& rng) const {
    speed = std::max(1.0, speed * (1 + drift_ * (2 * rng.uniform() - 1)));
  }

  std::vector<double> speeds_;
  double drift_;
  std::vector<Rng> rngs_;
};

}  // namespace damocles
