#pragma once

#include "experiments/commands/command.hpp"
#include "experiments/commands/run_options.hpp"

namespace damocles {

/// Predicted, simulated and executed side by side, with a verdict a strategy (agreement.hpp), then
/// what the executed runs tell beside their rows. JSON holds all of it, CSV the rows alone. A trace
/// holds both runs of replicate 0.
/// @throws std::runtime_error where a run failed, after what is there was written
void compare_executed(const CommonOptions& options, const RunOptions& run_options);

}  // namespace damocles
