#pragma once

#include <Eigen/Core>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "models/precision.hpp"

namespace damocles {

/// Calls use(Number{}) with the type that numbers of this precision are kept in: float, double,
/// Eigen::bfloat16 or Eigen::half.
template <typename Use>
decltype(auto) with_number(Precision precision, Use&& use) {
  switch (precision) {
    case Precision::fp64:
      return use(double{});
    case Precision::bf16:
      return use(Eigen::bfloat16{});
    case Precision::fp16:
      return use(Eigen::half{});
    case Precision::fp32:
    case Precision::tf32:
      break;
  }
  return use(float{});
}

/// Whether a number still has the bits it was given before the run: all ones.
template <typename Number>
[[nodiscard]] bool is_poison(const Number& number) {
  using Bits =
      std::conditional_t<sizeof(Number) == 2, std::uint16_t,
                         std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>>;
  return std::bit_cast<Bits>(number) == std::numeric_limits<Bits>::max();
}

/// A float with the 11 significant bits of tf32, to nearest, ties to even. @pre finite
[[nodiscard]] inline float to_tf32(float number) {
  constexpr std::uint32_t left_out = 13;
  auto bits = std::bit_cast<std::uint32_t>(number);
  bits += (1U << (left_out - 1)) - 1 + (bits >> left_out & 1U);
  return std::bit_cast<float>(bits >> left_out << left_out);
}

}  // namespace damocles
