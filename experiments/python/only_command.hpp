// One command of the package at a time.
#pragma once

#include <atomic>
#include <stdexcept>

namespace damocles {

/// While one lives, no other command runs and no strategy is registered: the tables of the library
/// are read without locks.
class OnlyCommand {
 public:
  OnlyCommand() {
    if (running().exchange(true)) {
      throw std::runtime_error(
          "a command of damocles is running in this process; wait for its end, or start another process");
    }
  }
  ~OnlyCommand() { running().store(false); }
  OnlyCommand(const OnlyCommand&) = delete;
  OnlyCommand& operator=(const OnlyCommand&) = delete;
  OnlyCommand(OnlyCommand&&) = delete;
  OnlyCommand& operator=(OnlyCommand&&) = delete;

 private:
  static std::atomic<bool>& running() {
    static std::atomic<bool> value{false};
    return value;
  }
};

}  // namespace damocles
