#pragma once

#include "ode/phase1.hpp"

namespace damocles {

/// Loads that predict_refined would expect with only some of its corrections, to see what each
/// buys.
[[nodiscard]] double refined_loads(const Problem& problem, double beta,
                                   const Corrections& corrections);

}  // namespace damocles
