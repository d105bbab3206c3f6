// A simulated run with its events, as Python gets it.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/command_rows.hpp"

namespace damocles {

/// A simulated run, to be written as a trace.
struct SimulatedRun {
  CommonOptions options;
  std::optional<CommandRows> rows{};  ///< one row; there is no empty workload
  std::vector<RunEvent> events{};
};

/// What damocles.Trace is made of: its row with what the command notes, its events in order of
/// time, and the run. @pre it has its row
[[nodiscard]] pybind11::tuple traced(SimulatedRun run, const std::vector<std::string>& notes);

/// Publishes the class, and the names of events.
void bind_simulated_run(pybind11::module_& module);

}  // namespace damocles
