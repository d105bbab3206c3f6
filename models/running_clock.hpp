// A clock by which ranks tell whether another one is silent.
#pragma once

#include <algorithm>
#include <chrono>

namespace damocles {

/// Seconds while the program runs. A batch system may suspend a job, all ranks of it: nobody was
/// silent then.
class RunningClock {
 public:
  /// To be called often: of the time between two calls at most a second counts.
  [[nodiscard]] double now_s() {
    using Seconds = std::chrono::duration<double>;
    const double steady_s = Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (before_s_ > 0) sum_s_ += std::min(steady_s - before_s_, 1.0);
    before_s_ = steady_s;
    return sum_s_;
  }

 private:
  double sum_s_ = 0;
  double before_s_ = 0;
};

}  // namespace damocles
