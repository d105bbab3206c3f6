#pragma once

#include <optional>
#include <string_view>

namespace damocles {

/// What a quantity with a unit measures.
enum class Unit { bytes, bytes_per_s, seconds, flops, flops_per_s, watts };

/// A number with its unit, all of `text`, in the unit's own base (B, B/s, s, flop, flop/s, W):
/// `500MB` is 5e8 (MB is 10^6), `500MiB` is 500 * 2^20, `12GB/s`, `10us`, `7.1GF`, `13253GF/s`,
/// `300W`. A bare number is in the base. Nothing where it is none, or negative.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, Unit unit);

/// How such a quantity is written, for errors: "a size as 500MB or 500MiB".
[[nodiscard]] std::string_view example(Unit unit);

}  // namespace damocles
