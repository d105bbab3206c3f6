#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace damocles {

/// Called now and then while rows are made; what it throws ends them.
using StopCheck = std::function<void()>;

/// How far a simulated run is, for another thread to read meanwhile; and where the run may be
/// stopped.
///
/// Runs tell the one that was made last on their thread, if it still stands. So whoever starts a
/// run, and shows progress, needs no way to the simulator through all that lies between.
class RunShare {
 public:
  /// @param check  called whenever tasks have ended, and outlives this; null: nobody stops the run
  explicit RunShare(const StopCheck* check = nullptr)
      : outer_(std::exchange(of_this_thread(), this)), check_(check) {}
  RunShare(const RunShare&) = delete;
  RunShare& operator=(const RunShare&) = delete;
  RunShare(RunShare&&) = delete;
  RunShare& operator=(RunShare&&) = delete;
  ~RunShare() { of_this_thread() = outer_; }

  /// A run of so many tasks begins.
  void begin(std::uint64_t tasks) {
    ended_.store(0, std::memory_order_relaxed);
    tasks_.store(tasks, std::memory_order_relaxed);
  }
  /// So many of them have ended. @throws what the check throws
  void ended(std::uint64_t tasks) {
    ended_.store(tasks, std::memory_order_relaxed);
    if (check_ != nullptr) (*check_)();
  }
  /// The share of its tasks that have ended, from 0 to 1.
  [[nodiscard]] double value() const {
    const auto tasks = static_cast<double>(tasks_.load(std::memory_order_relaxed));
    const auto ended = static_cast<double>(ended_.load(std::memory_order_relaxed));
    return ended < tasks ? ended / tasks : tasks > 0 ? 1 : 0;
  }

  /// What a run on this thread tells; null: nobody looks.
  [[nodiscard]] static RunShare*& of_this_thread() {
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of a thread
    static thread_local RunShare* current = nullptr;
    return current;
  }

 private:
  RunShare* outer_;
  const StopCheck* check_;
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<std::uint64_t> tasks_{0};
};

}  // namespace damocles
