#pragma once

#include "ode/model.hpp"

namespace damocles {

/// `static-columns`: no theory but its own arithmetic, as it draws nothing. The sum of the
/// half-perimeters of column_partition for these speeds, whole blocks and all; sd 0.
///
/// @return  nothing off the outer product, where the strategy is not defined
[[nodiscard]] std::optional<Prediction> predict_static_columns(const Problem& problem);

}  // namespace damocles
