#pragma once

namespace damocles {

/// The factor of a 95 % confidence interval of a mean: what Student's t with so many degrees of
/// freedom stays below in 97.5 % of cases. @pre freedom > 0
[[nodiscard]] double students_t_975(double freedom);

}  // namespace damocles
