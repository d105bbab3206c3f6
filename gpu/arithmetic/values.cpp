#include "gpu/arithmetic/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "gpu/arithmetic/numbers.hpp"
#include "models/rng.hpp"

namespace damocles {
namespace {

/// Four numbers of 16 bits, two fp32 numbers, or one of fp64, in the bits of 64 random ones. The
/// leading bits, read as a signed integer of as many bits as the significand holds, are scaled to
/// [-1, 1): exact, and without a branch.
template <typename Number>
std::uint64_t numbers(std::uint64_t word) {
  std::uint64_t bits = 0;
  if constexpr (sizeof(Number) == 2) {
    constexpr int significant = std::is_same_v<Number, Eigen::half> ? 11 : 8;
    std::array<Number, 4> four;
    for (std::size_t i = 0; i < four.size(); ++i) {
      const int leading = static_cast<std::int16_t>(word >> (16 * i)) >> (16 - significant);
      four[i] = static_cast<Number>(std::ldexp(static_cast<float>(leading), 1 - significant));
    }
    std::memcpy(&bits, four.data(), sizeof(bits));
  } else if constexpr (sizeof(Number) == 4) {
    const std::array<float, 2> pair = {
        static_cast<float>(static_cast<std::int32_t>(word) >> 8) * 0x1p-23F,
        static_cast<float>(static_cast<std::int32_t>(word >> 32U) >> 8) * 0x1p-23F};
    std::memcpy(&bits, pair.data(), sizeof(bits));
  } else {
    const double number = static_cast<double>(static_cast<std::int64_t>(word) >> 11) * 0x1p-52;
    std::memcpy(&bits, &number, sizeof(bits));
  }
  return bits;
}

template <typename Convert>
void fill(std::uint64_t seed, std::uint64_t stream, std::span<std::byte> content,
          Convert&& convert) {
  Rng rng(seed, Draw::values, stream);
  for (std::size_t at = 0; at < content.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = convert(rng.next());
    std::memcpy(content.data() + at, &word, std::min(sizeof(word), content.size() - at));
  }
}

}  // namespace

void fill_uniform(std::uint64_t seed, std::uint64_t stream, Precision precision,
                  std::span<std::byte> content) {
  with_number(precision,
              [&](auto number) { fill(seed, stream, content, numbers<decltype(number)>); });
}

void fill_words(std::uint64_t seed, std::uint64_t stream, std::span<std::byte> content) {
  fill(seed, stream, content, [](std::uint64_t word) { return word; });
}

}  // namespace damocles
