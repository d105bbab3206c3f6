// One predicted row of an experiment, with limited or unlimited memory, or why there is none.

#pragma once

#include <cstdint>
#include <string>

#include "experiments/studies/rows.hpp"
#include "experiments/studies/study.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// Why the model of that name predicts nothing of the strategy on any platform of the experiment,
/// or "": that depends on the grid and the number of processors. (Where a formula fails for some
/// speeds, their rows say so.)
[[nodiscard]] std::string why_no_prediction(const std::string& name, const Experiment& experiment,
                                            const ResolvedStrategy& resolved);

/// The row of what the model predicts. @pre why_no_prediction() is ""
[[nodiscard]] Record prediction(const Experiment& experiment, const ResolvedStrategy& resolved,
                                const std::string& model, std::uint64_t replicate);

}  // namespace damocles
