#pragma once

#include "models/precision.hpp"

namespace damocles {

/// Relative errors of one step, at most [1].
struct Roundoff {
  /// Of a factor, where it is multiplied. To nearest tf32 errs by 2^-11; that a library does not
  /// cut the 13 bits off instead, which errs by 2^-10, nobody says.
  double factor;
  /// Of a sum, while a task is computed. Tensor cores add several products to a sum at once and cut
  /// off what lies below its last bits, by 2^-23 of the largest of them each (Fasi, Higham,
  /// Mikaitis & Pranesh, PeerJ Computer Science 7, 2021): twice that is allowed.
  double sum;
  /// Of a number of C, where a task leaves it: to nearest.
  double kept;
};

[[nodiscard]] constexpr Roundoff roundoff(Precision precision) {
  constexpr double tensor = 0x1p-22;
  switch (precision) {
    case Precision::fp64:
      return {0, 0x1p-53, 0};
    case Precision::tf32:
      return {0x1p-10, tensor, 0};
    case Precision::bf16:
      return {0, tensor, 0x1p-8};
    case Precision::fp16:
      return {0, tensor, 0x1p-11};
    case Precision::fp32:
      break;
  }
  return {0, 0x1p-24, 0};
}

}  // namespace damocles
