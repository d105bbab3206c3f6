// One predicted row of a static schedule whose tasks wait for each other or write.

#pragma once

#include <cstdint>
#include <string>

#include "experiments/studies/rows.hpp"

namespace damocles {

/// Why the model of that name predicts nothing of the strategy, or "".
/// @pre needs_plan() is true of the workload, and the platform limits memory
[[nodiscard]] std::string why_no_plan_predicted(const std::string& model,
                                                const Experiment& experiment,
                                                const ResolvedStrategy& resolved);

/// The row of what the model `plan` predicts. @pre why_no_plan_predicted() is ""
/// @throws Infeasible where a task does not fit into a memory
[[nodiscard]] Record predicted_plan(const Experiment& experiment, const ResolvedStrategy& resolved,
                                    std::uint64_t replicate);

}  // namespace damocles
