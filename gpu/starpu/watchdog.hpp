#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "gpu/starpu/strategy_policy.hpp"

namespace damocles {

/// Ends the process, with one line on standard error and status 1, where for so long no task ends
/// or a strategy failed: StarPU's threads cannot be stopped, and 1.3 may stand still for good where
/// a memory holds few data items.
class Watchdog {
 public:
  Watchdog(double standstill_s, std::uint64_t tasks)
      : standstill_s_(standstill_s), tasks_(tasks), thread_([this] { watch(); }) {}
  ~Watchdog() {
    over_ = true;
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void task_ended() { ++ended_; }
  /// Null: no more. The policy lives until then.
  void watch_policy(StrategyPolicy* policy) { policy_ = policy; }

 private:
  void watch();

  double standstill_s_;
  std::uint64_t tasks_;
  std::atomic<std::uint64_t> ended_ = 0;
  std::atomic<StrategyPolicy*> policy_ = nullptr;
  std::atomic<bool> over_ = false;
  std::thread thread_;  // last: it reads all of it
};

}  // namespace damocles
