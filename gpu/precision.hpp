#pragma once

#include <cstddef>

namespace damocles {

/// What the numbers of a product are kept in, and what it computes in.
enum class Precision {
  fp32,
  fp64,
  tf32,  ///< kept as fp32; factors are rounded to 11 significant bits, sums are those of fp32
  bf16,  ///< kept in 16 bits, of which 8 are significant; sums within a task are those of fp32
  fp16,  ///< kept in 16 bits, of which 11 are significant; sums within a task as those of fp32
};

[[nodiscard]] constexpr std::size_t element_bytes(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return 8;
    case Precision::bf16:
    case Precision::fp16:
      return 2;
    case Precision::fp32:
    case Precision::tf32:
      break;
  }
  return 4;
}

/// "fp32", ...
[[nodiscard]] constexpr const char* precision_name(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return "fp64";
    case Precision::tf32:
      return "tf32";
    case Precision::bf16:
      return "bf16";
    case Precision::fp16:
      return "fp16";
    case Precision::fp32:
      break;
  }
  return "fp32";
}

/// Whether factors have fewer bits than sums: made by tensor cores, where there are any.
[[nodiscard]] constexpr bool is_mixed(Precision precision) {
  return precision != Precision::fp32 && precision != Precision::fp64;
}

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
