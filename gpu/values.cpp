#include "gpu/values.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/rng.hpp"

namespace damocles {
namespace {

/// Two fp32 numbers, or one of fp64, in the bits of 64 random ones. The leading bits, read as a
/// signed integer of as many bits as the significand holds, are scaled to [-1, 1): exact, and
/// without a branch.
template <typename Number>
std::uint64_t numbers(std::uint64_t word) {
  std::uint64_t bits = 0;
  if constexpr (sizeof(Number) == 4) {
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
  if (precision == Precision::fp32) {
    fill(seed, stream, content, numbers<float>);
  } else {
    fill(seed, stream, content, numbers<double>);
  }
}

void fill_words(std::uint64_t seed, std::uint64_t stream, std::span<std::byte> content) {
  fill(seed, stream, content, [](std::uint64_t word) { return word; });
}

}  // namespace damocles
