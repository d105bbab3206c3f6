#pragma once

#include <cmath>

namespace damocles {

/// std::lgamma() writes the sign to a variable that all threads share.
inline double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace damocles
