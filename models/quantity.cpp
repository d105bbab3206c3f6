#include "models/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "models/leading_number.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Factor = std::pair<std::string_view, double>;

constexpr auto prefixes = std::to_array<Factor>({{"", 1},
                                                 {"k", 1e3},
                                                 {"M", 1e6},
                                                 {"G", 1e9},
                                                 {"T", 1e12},
                                                 {"Ki", 0x1p10},
                                                 {"Mi", 0x1p20},
                                                 {"Gi", 0x1p30},
                                                 {"Ti", 0x1p40}});
constexpr auto times = std::to_array<Factor>({{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}});

std::optional<double> factor_of(std::string_view name, std::span<const Factor> factors) {
  for (const auto& [known, factor] : factors) {
    if (name == known) return factor;
  }
  return std::nullopt;
}

/// The factor of `unit` written as prefix and `base`, as MB of base B; nothing if it is not.
std::optional<double> factor(std::string_view unit, std::string_view base) {
  if (!unit.ends_with(base)) return std::nullopt;
  unit.remove_suffix(base.size());
  return factor_of(unit, prefixes);
}

std::optional<double> factor(std::string_view text, Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return factor(text, "B");
    case Unit::bytes_per_s:
      return factor(text, "B/s");
    case Unit::seconds:
      return factor_of(text, times);
    case Unit::flops:
      return factor(text, "F");
    case Unit::flops_per_s:
      return factor(text, "F/s");
    case Unit::watts:
      return factor(text, "W");
  }
  return std::nullopt;
}

/// How many UnitsOptional live on this thread.
int& units_optional() {
  thread_local int living = 0;
  return living;
}

/// The unit that somebody who wrote `number` alone most likely had in mind.
std::string_view likely_unit(double number, Unit unit) {
  constexpr double most_prefixed = 1e6;  // beyond, the number is written out in the base
  const bool prefixed = number < most_prefixed;
  switch (unit) {
    case Unit::bytes:
      return prefixed ? "MB" : "B";
    case Unit::bytes_per_s:
      return prefixed ? "GB/s" : "B/s";
    case Unit::seconds:
      return number < 1 ? "s" : "us";
    case Unit::flops:
      return prefixed ? "GF" : "F";
    case Unit::flops_per_s:
      return prefixed ? "GF/s" : "F/s";
    case Unit::watts:
      return "W";
  }
  return "";
}

}  // namespace

UnitsOptional::UnitsOptional() noexcept { ++units_optional(); }
UnitsOptional::~UnitsOptional() { --units_optional(); }

bool lacks_unit(std::string_view text) {
  const auto number = parse_number(text);
  return number && *number > 0;
}

std::string quantity_error(std::string_view key, std::string_view text, Unit unit) {
  if (!lacks_unit(text)) return fmt::format("{} must be {}, not '{}'", key, example(unit), text);
  return fmt::format("{} {} has no unit; did you mean {}{}?", key, text, text,
                     likely_unit(*parse_number(text), unit));
}

std::optional<double> parse_quantity(std::string_view text, Unit unit) {
  // The longest prefix that is a number: "1e3B" is 1000 bytes, "5E" none.
  double value = 0;
  const char* const stopped = leading_number(text, value).ptr;
  const auto digits = static_cast<std::size_t>(stopped - text.data());
  const auto number = parse_number(text.substr(0, digits));
  if (!number || *number < 0) return std::nullopt;
  const std::string_view rest = text.substr(digits);
  if (rest.empty()) return *number == 0 || units_optional() > 0 ? number : std::nullopt;
  const auto one = factor(rest, unit);
  if (!one) return std::nullopt;
  return *number * *one;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  // What {:.3g} rounds to 1000 is 1 of the next unit.
  for (; size >= 999.5 && unit + 1 < units.size(); ++unit) size /= 1000;
  return fmt::format("{:.3g} {}", size, units.at(unit));
}

std::string_view example(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "a size, such as 500MB (10^6 bytes) or 500MiB (2^20 bytes)";
    case Unit::bytes_per_s:
      return "a rate in bytes per second, such as 12GB/s";
    case Unit::seconds:
      return "a time, such as 10us";
    case Unit::flops:
      return "a number of operations, such as 7.1GF";
    case Unit::flops_per_s:
      return "a speed, such as 13253GF/s";
    case Unit::watts:
      return "a power, such as 300W";
  }
  return "";
}

}  // namespace damocles
