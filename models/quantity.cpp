#include "models/quantity.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 8> prefixes{{{"k", 1e3},
                                                                       {"M", 1e6},
                                                                       {"G", 1e9},
                                                                       {"T", 1e12},
                                                                       {"Ki", 0x1p10},
                                                                       {"Mi", 0x1p20},
                                                                       {"Gi", 0x1p30},
                                                                       {"Ti", 0x1p40}}};

/// The factor of `unit` written as prefix and `base`, as MB of base B; nothing if it is not.
std::optional<double> factor(std::string_view unit, std::string_view base) {
  if (!unit.ends_with(base)) return std::nullopt;
  unit.remove_suffix(base.size());
  if (unit.empty()) return 1;
  for (const auto& [prefix, value] : prefixes) {
    if (unit == prefix) return value;
  }
  return std::nullopt;
}

std::optional<double> seconds(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e-3;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  return std::nullopt;
}

std::optional<double> factor(std::string_view text, Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return factor(text, "B");
    case Unit::bytes_per_s:
      return factor(text, "B/s");
    case Unit::seconds:
      return seconds(text);
    case Unit::flops:
      return factor(text, "F");
    case Unit::flops_per_s:
      return factor(text, "F/s");
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, Unit unit) {
  // The longest prefix that is a number: "1e3B" is 1000 bytes, "5E" none.
  double value = 0;
  const char* const stopped = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  const auto digits = static_cast<std::size_t>(stopped - text.data());
  const auto number = parse_number(text.substr(0, digits));
  if (!number || *number < 0) return std::nullopt;
  const std::string_view rest = text.substr(digits);
  if (rest.empty()) return number;
  const auto times = factor(rest, unit);
  if (!times) return std::nullopt;
  return *number * *times;
}

std::string_view example(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "a size as 500MB (10^6) or 500MiB (2^20)";
    case Unit::bytes_per_s:
      return "a bandwidth as 12GB/s";
    case Unit::seconds:
      return "a time as 10us";
    case Unit::flops:
      return "a number of operations as 7.1GF";
    case Unit::flops_per_s:
      return "a speed as 13253GF/s";
  }
  return "";
}

}  // namespace damocles
