#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "gpu/kernel.hpp"

namespace damocles {

/// What a check found in one output tile.
struct TileFinding {
  double worst = 0;       ///< largest error over its tolerance
  double detectable = 0;  ///< of freivalds: the largest change of one number that may go unseen
  std::string wrong;      ///< empty where the tile is right

  /// Takes in one number or one sum: whether it is right. False for a NaN.
  bool take(double error, double tolerance) {
    if (!(error <= tolerance)) {
      worst = std::isnan(error) || tolerance == 0 ? std::numeric_limits<double>::infinity()
                                                  : std::fmax(worst, error / tolerance);
      return false;
    }
    if (error > 0) worst = std::fmax(worst, error / tolerance);
    return true;
  }
};

/// Relative error of one rounding to nearest [1].
[[nodiscard]] constexpr double unit_roundoff(Precision precision) {
  return precision == Precision::fp32 ? 0x1p-24 : 0x1p-53;
}

/// Whether a number still has the bits it was given before the run: all ones.
template <typename Number>
[[nodiscard]] bool is_poison(const Number& number) {
  using Bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(number) == std::numeric_limits<Bits>::max();
}

}  // namespace damocles
