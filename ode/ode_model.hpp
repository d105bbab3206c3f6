#pragma once

#include "ode/model.hpp"

namespace damocles {

/// `random` where speeds drift: a data item that c tasks read is missed with probability (1 - D)^c,
/// D the share of the tasks that the processor computes in the end, whose law the mean field
/// integrates. Without drift this is predict_random; no band.
[[nodiscard]] Prediction predict_ode_random(const Problem& problem);

}  // namespace damocles
