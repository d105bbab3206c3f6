#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/kernel.hpp"

namespace damocles {

/// Writes numbers uniform in [-1, 1), functions of (seed, stream) and their place alone.
///
/// fp32 and tf32: multiples of 2^-23; fp64: of 2^-52; bf16: of 2^-7; fp16: of 2^-10. Sums of
/// products of such numbers never underflow. @pre content holds whole numbers
void fill_uniform(std::uint64_t seed, std::uint64_t stream, Precision precision,
                  std::span<std::byte> content);

/// Writes random bits, functions of (seed, stream) and their place alone.
void fill_words(std::uint64_t seed, std::uint64_t stream, std::span<std::byte> content);

}  // namespace damocles
