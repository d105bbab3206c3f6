#pragma once

#include <cstdint>
#include <string>

#include "experiments/studies/rows.hpp"
#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {

/// Why the model predicts nothing of the strategy on the experiment's platform, which limits
/// memory, or "".
[[nodiscard]] std::string why_not_predicted(const std::string& model, const Experiment& experiment,
                                            const ResolvedStrategy& resolved);

/// The row of what it predicts. @pre why_not_predicted() is ""
[[nodiscard]] Record limited_prediction(const Experiment& experiment,
                                        const ResolvedStrategy& resolved, const std::string& model,
                                        std::uint64_t replicate);

}  // namespace damocles
