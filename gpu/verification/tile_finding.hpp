#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

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

}  // namespace damocles
