#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// What the numbers of a product are kept in, and what it computes in.
enum class Precision {
  fp32,
  fp64,
  tf32,  ///< kept as fp32; factors are rounded to 11 significant bits, sums are those of fp32
  bf16,  ///< kept in 16 bits, of which 8 are significant; sums within a task are those of fp32
  fp16,  ///< kept in 16 bits, of which 11 are significant; sums within a task are those of fp32
};

struct PrecisionEntry {
  Precision precision;
  std::string_view name;
  std::string_view word;  ///< what users call it
  std::size_t bytes;      ///< of a number that is kept
};

/// In the order of the enumeration.
inline constexpr std::array<PrecisionEntry, 5> precisions{{{Precision::fp32, "fp32", "single", 4},
                                                           {Precision::fp64, "fp64", "double", 8},
                                                           {Precision::tf32, "tf32", "tf32", 4},
                                                           {Precision::bf16, "bf16", "bf16", 2},
                                                           {Precision::fp16, "fp16", "fp16", 2}}};

[[nodiscard]] constexpr std::size_t element_bytes(Precision precision) {
  return precisions.at(static_cast<std::size_t>(precision)).bytes;
}

[[nodiscard]] constexpr std::string_view precision_name(Precision precision) {
  return precisions.at(static_cast<std::size_t>(precision)).name;
}

/// What users call it.
[[nodiscard]] constexpr std::string_view precision_word(Precision precision) {
  return precisions.at(static_cast<std::size_t>(precision)).word;
}

/// Nothing where it is none of precision_words().
[[nodiscard]] constexpr std::optional<Precision> precision_of(std::string_view word) {
  for (const PrecisionEntry& entry : precisions) {
    if (entry.word == word) return entry.precision;
  }
  return std::nullopt;
}

[[nodiscard]] inline std::vector<std::string> precision_words() {
  std::vector<std::string> words;
  for (const PrecisionEntry& entry : precisions) words.emplace_back(entry.word);
  return words;
}

class Spec;
/// The option `precision` of a workload or platform; single where it is not given.
/// @throws InvalidInput on a word that is none of precision_words()
[[nodiscard]] Precision precision_in(const Spec& spec);

/// Whether factors have fewer bits than sums: made by tensor cores, where there are any.
[[nodiscard]] constexpr bool is_mixed(Precision precision) {
  return precision != Precision::fp32 && precision != Precision::fp64;
}

}  // namespace damocles
