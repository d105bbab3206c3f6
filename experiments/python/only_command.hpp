// One command of the package at a time.
#pragma once

namespace damocles {

/// While one lives, no other command runs and no strategy is registered: the tables of the library
/// are read without locks. Other threads wait for their turn, without Python's lock.
/// @throws std::runtime_error where this thread runs a command, as when a strategy asks for one;
/// pybind11::error_already_set where a signal ends the wait
class OnlyCommand {
 public:
  OnlyCommand();
  ~OnlyCommand();
  OnlyCommand(const OnlyCommand&) = delete;
  OnlyCommand& operator=(const OnlyCommand&) = delete;
  OnlyCommand(OnlyCommand&&) = delete;
  OnlyCommand& operator=(OnlyCommand&&) = delete;

  /// Whether some thread runs a command.
  [[nodiscard]] static bool runs();
};

}  // namespace damocles
