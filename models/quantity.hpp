#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace damocles {

/// What a quantity with a unit measures.
enum class Unit { bytes, bytes_per_s, seconds, flops, flops_per_s, watts };

/// A number with its unit, all of `text`, in the unit's own base (B, B/s, s, flop, flop/s, W):
/// `500MB` is 5e8 (MB is 10^6), `500MiB` is 500 * 2^20, `12GB/s`, `10us`, `7.1GF`, `13253GF/s`,
/// `300W`. Nothing where it is none, is negative, or lacks its unit; 0 needs none.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, Unit unit);

/// Whether the text is a number above 0 to which only the unit is missing.
[[nodiscard]] bool lacks_unit(std::string_view text);

/// Why parse_quantity refused the value of `key`, and what to write: "memory 500 has no unit; did
/// you mean 500MB?", "memory 500mb has the unknown unit 'mb'; did you mean 500MB?" or "memory must
/// be a size, such as 500MB (10^6 bytes) or 500MiB (2^20 bytes), not 'much'".
[[nodiscard]] std::string quantity_error(std::string_view key, std::string_view text, Unit unit);

/// While one lives, on its thread, a number without a unit is in the base of the unit. Recordings
/// are read so: versions that wrote some of them took `bandwidth=12` as 12 B/s.
class UnitsOptional {
 public:
  UnitsOptional() noexcept;
  ~UnitsOptional();
  UnitsOptional(const UnitsOptional&) = delete;
  UnitsOptional& operator=(const UnitsOptional&) = delete;
};

/// A size for a reader, in units of 10^3: "29.5 MB", "512 B".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// "1 row", "2 rows".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// How such a quantity is written, for errors: "a size, such as 500MB or 500MiB".
[[nodiscard]] std::string_view example(Unit unit);

}  // namespace damocles
