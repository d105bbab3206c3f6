#pragma once

#include <string>

#include "experiments/commands/command_line.hpp"
#include "experiments/studies/execution.hpp"

namespace damocles {

/// The options of the commands that execute, as the user wrote them.
struct RunOptions {
  std::string backend = "host";
  std::string compute = "auto";
  std::string precision = "single";
  std::string tile = "32";
  std::string rank = "8";
  std::string check = "auto";
  std::string pace;
  std::string depth = "1";
  std::string multiprocessors;
  bool no_throttle = false;

  /// `backend_required`: without --backend nothing is executed, and the others are refused
  /// (compare).
  void add_to(Command command, bool backend_required = false);
  /// Only those that say where and what tasks compute (calibrate).
  void add_device(Command command);
  /// @throws InvalidInput on anything that is wrong in them
  [[nodiscard]] ExecutionOptions parsed() const;
};

}  // namespace damocles
