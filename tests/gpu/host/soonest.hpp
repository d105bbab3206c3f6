#pragma once

#include <algorithm>

namespace damocles {

/// The soonest of several ends. Under a sanitizer on a busy machine memcpy may take longer than the
/// bus, and an end is late; none may ever be early.
template <typename End>
double soonest(End&& end) {
  constexpr int attempts = 5;
  double result = end();
  for (int i = 1; i < attempts; ++i) result = std::min(result, end());
  return result;
}

}  // namespace damocles
