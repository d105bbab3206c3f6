#include "models/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "models/error.hpp"
#include "models/leading_number.hpp"
#include "models/named_units.hpp"
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

/// What follows a prefix: B of MB; nothing of times, whose units are written out.
std::string_view base_of(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "B";
    case Unit::bytes_per_s:
      return "B/s";
    case Unit::seconds:
      return "";
    case Unit::flops:
      return "F";
    case Unit::flops_per_s:
      return "F/s";
    case Unit::watts:
      return "W";
  }
  return "";
}

std::span<const Factor> factors_of(Unit unit) {
  return unit == Unit::seconds ? std::span<const Factor>(times) : prefixes;
}

std::optional<double> factor(std::string_view text, Unit unit) {
  const std::string_view base = base_of(unit);
  if (!text.ends_with(base)) return std::nullopt;
  text.remove_suffix(base.size());
  return factor_of(text, factors_of(unit));
}

/// The unit that is `written` in another case, or "".
std::string unit_in_its_case(std::string_view written, Unit unit) {
  for (const auto& [name, factor] : factors_of(unit)) {
    std::string known = fmt::format("{}{}", name, base_of(unit));
    if (known != written && in_lower_case(known) == in_lower_case(written)) return known;
  }
  return "";
}

/// A text as a finite number that is not negative, the longest there is, and the rest: "1e3B" is
/// 1000 and B, "5E" is 5 and E.
std::pair<std::optional<double>, std::string_view> number_and_unit(std::string_view text) {
  double value = 0;
  const auto digits = static_cast<std::size_t>(leading_number(text, value).ptr - text.data());
  auto number = parse_number(text.substr(0, digits));
  if (number && *number < 0) number.reset();
  return {number, text.substr(digits)};
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
  if (lacks_unit(text)) {
    return fmt::format("{} {} has no unit; did you mean {}{}?", key, text, text,
                       likely_unit(*parse_number(text), unit));
  }
  const auto [number, written] = number_and_unit(text);
  if (const std::string meant = unit_in_its_case(written, unit); number && !meant.empty()) {
    return fmt::format("{} {} has the unknown unit '{}'; did you mean {}{}?", key, text, written,
                       text.substr(0, text.size() - written.size()), meant);
  }
  return fmt::format("{} must be {}, not '{}'", key, example(unit), text);
}

std::optional<double> parse_quantity(std::string_view text, Unit unit) {
  const auto [number, rest] = number_and_unit(text);
  if (!number) return std::nullopt;
  if (rest.empty()) return *number == 0 || units_optional() > 0 ? number : std::nullopt;
  const auto one = factor(rest, unit);
  if (!one) return std::nullopt;
  return *number * *one;
}

std::vector<NamedUnit> named_units() {
  std::vector<NamedUnit> all;
  for (const Unit unit : {Unit::bytes, Unit::bytes_per_s, Unit::seconds, Unit::flops,
                          Unit::flops_per_s, Unit::watts}) {
    const std::string base(unit == Unit::seconds ? "s" : base_of(unit));
    for (const auto& [name, factor] : factors_of(unit)) {
      all.push_back({fmt::format("{}{}", name, base_of(unit)), base, factor});
    }
  }
  return all;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  // What {:.3g} rounds to 1000 is 1 of the next unit.
  for (; size >= 999.5 && unit + 1 < units.size(); ++unit) size /= 1000;
  return fmt::format("{:.3g} {}", size, units.at(unit));
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
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
