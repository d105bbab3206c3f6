#pragma once

namespace damocles {

/// The factor of a 95 % confidence interval of a mean: what Student's t with so many degrees of
/// freedom stays below in 97.5 % of cases. @pre freedom > 0
[[nodiscard]] double students_t_975(double freedom);
/// How likely Student's t with so many degrees of freedom is above a value. @pre freedom > 0
[[nodiscard]] double students_t_above(double value, double freedom);
/// Half of that interval, of the mean of n values with this standard deviation. @pre n > 1
[[nodiscard]] double half_width_of_mean(double sd, double n);

}  // namespace damocles
