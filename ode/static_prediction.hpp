#pragma once

#include "ode/model.hpp"

namespace damocles {

/// `static-columns`: no theory but its own arithmetic, as it draws nothing. What the rectangles of
/// column_partition read for these speeds, whole blocks and all; sd 0.
///
/// @return  nothing off the outer product, where the strategy is not defined
[[nodiscard]] std::optional<Prediction> predict_static_columns(const Problem& problem);

/// `static-nrrp`: likewise, of the zones of nrrp_partition.
[[nodiscard]] std::optional<Prediction> predict_static_nrrp(const Problem& problem);

/// `static-cuboids`: likewise, of the cuboids of cuboid_partition.
///
/// @return  nothing off the matrix product, where the strategy is not defined
[[nodiscard]] std::optional<Prediction> predict_static_cuboids(const Problem& problem);

}  // namespace damocles
