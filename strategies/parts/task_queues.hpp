#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <tuple>

namespace damocles {

/// A task in a queue. The least goes first.
struct WaitingTask {
  double rank = 0;        ///< -priority, in queues that are sorted by it
  std::int64_t came = 0;  ///< in order; of those put at the front negative
  std::uint32_t task = 0;
  friend bool operator<(const WaitingTask& a, const WaitingTask& b) {
    return std::tie(a.rank, a.came) < std::tie(b.rank, b.came);
  }
};

/// First come, first served. O(1) a step.
class FirstCome {
 public:
  void push(double /*priority*/, std::int64_t came, std::uint32_t task) {
    tasks_.push_back({0, came, task});
  }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  /// @pre size() > 0
  [[nodiscard]] const WaitingTask& first() const { return tasks_.front(); }
  void take_first() { tasks_.pop_front(); }

 protected:
  void push_first(std::int64_t came, std::uint32_t task) {
    tasks_.push_front({0, -1 - came, task});
  }

 private:
  std::deque<WaitingTask> tasks_;
};

/// The same, but a task of a priority other than 0 is put at the front: StarPU's eager.
class PrioritiesToTheFront : public FirstCome {
 public:
  void push(double priority, std::int64_t came, std::uint32_t task) {
    if (priority != 0) {
      push_first(came, task);
    } else {
      FirstCome::push(priority, came, task);
    }
  }
};

/// The highest priority first, of one the one that came first. O(log tasks) a step.
class HighestPriority {
 public:
  void push(double priority, std::int64_t came, std::uint32_t task) {
    tasks_.insert({-priority, came, task});
  }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  /// @pre size() > 0
  [[nodiscard]] const WaitingTask& first() const { return *tasks_.begin(); }
  void take_first() { tasks_.erase(tasks_.begin()); }

 private:
  std::set<WaitingTask> tasks_;
};

}  // namespace damocles
