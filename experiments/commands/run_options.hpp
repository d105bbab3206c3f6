#pragma once

#include <string>

#include "experiments/commands/command_line.hpp"
#include "models/workload.hpp"

namespace damocles {

struct CommonOptions;
struct ExecutionOptions;

/// The options of the commands that execute, as the user wrote them.
struct RunOptions {
  std::string backend = "host";
  std::string compute = "auto";
  std::string precision;
  std::string tile;
  std::string inner;
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
  /// @throws InvalidInput on anything that is wrong in them, or does not apply to the workload
  [[nodiscard]] ExecutionOptions parsed(const Workload& workload) const;
  /// @throws InvalidInput where the events of a run are to be written, and the backend tells none
  void refuse_events(const CommonOptions& common) const;

 private:
  /// Refuses the sizes of outer and matrix where the workload has sizes of its own.
  void refuse_sizes(const Workload& workload) const;
};

}  // namespace damocles
