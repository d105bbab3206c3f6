#pragma once

#include <span>

#include "models/spec.hpp"
#include "ode/model.hpp"

namespace damocles {

/// `hybrid` as a fluid: tasks flow from the front of a zone to its processor and from its end to
/// those that help, at constant rates between the moments at which a zone, or what is kept of one,
/// is used up; then who helps whom is decided as the strategy does. Who took a part q of W tasks
/// from the end of a zone, where all helpers take turns, knows of a data item that m of these tasks
/// read with probability 1 - (1 - q)^m, unless its own zone reads it.
///
/// Where speeds are wrong, the mean over 40 drawn estimates, and their spread. The time is the
/// fluid's: the last task of each processor, which others cannot share, is not in it. Drift is not
/// in it either.
///
/// @param problem  of a grid
/// @param speeds   of each processor [tasks/s]
/// @param spec     options of `hybrid`
/// Source: ours. Checked by tests/ode/hybrid_prediction_test.cpp.
[[nodiscard]] Prediction predict_hybrid(const Problem& problem, std::span<const double> speeds,
                                        const Spec& spec);

}  // namespace damocles
