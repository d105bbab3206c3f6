#include "experiments/studies/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::size_t most_digits = 15;  // so that sums of three fit 64 bits

/// A decimal number as units of 10^-decimals.
struct Decimal {
  std::int64_t units = 0;
  std::size_t decimals = 0;
};

std::optional<Decimal> decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  const std::string behind(text.substr(std::min(point + 1, text.size())));
  digits += behind;
  const bool all_digits = digits.find_first_not_of("0123456789") == std::string::npos;
  if (point == 0 || digits.size() > most_digits || !all_digits) return std::nullopt;
  if (point < text.size() && behind.empty()) return std::nullopt;
  const auto units = static_cast<std::int64_t>(*parse_integer(digits));
  return Decimal{negative ? -units : units, behind.size()};
}

/// The same number in more decimals; nothing where it has too many digits for that.
std::optional<std::int64_t> in_decimals(Decimal number, std::size_t decimals) {
  for (; number.decimals < decimals; ++number.decimals) {
    if (std::abs(number.units) >= 1'000'000'000'000'000) return std::nullopt;
    number.units *= 10;
  }
  return number.units;
}

/// Without zeros that say nothing: 0.50 is 0.5.
std::string text_of_value(std::int64_t units, std::size_t decimals) {
  std::string digits = fmt::format("{:0{}}", std::abs(units), decimals + 1);
  if (decimals > 0) {
    digits.insert(digits.size() - decimals, ".");
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
  }
  return (units < 0 ? "-" : "") + digits;
}

/// Where the unit begins that ends a number, as in 500MB and 12GB/s.
std::size_t start_of_unit(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/";
  const auto last = text.find_last_not_of(letters);
  return last == std::string_view::npos ? 0 : last + 1;
}

/// Whether the text is a decimal number with a unit.
bool has_number_and_unit(std::string_view text) {
  const auto unit = start_of_unit(text);
  return unit < text.size() && decimal(text.substr(0, unit));
}

/// Whether the text is meant as a range: it has a colon, and before it a number, with blanks or
/// without, or nothing; or numbers with units on both sides. Names do not begin so.
bool is_meant_as_range(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto first = text.substr(0, colon);
  const auto second = text.substr(colon + 1);
  if (has_number_and_unit(first)) return has_number_and_unit(second.substr(0, second.find(':')));
  constexpr std::string_view numeric = "0123456789.+-eE \t";
  return first.find_first_not_of(numeric) == std::string_view::npos;
}

[[noreturn]] void refuse_range(const std::string& text, const std::string& why) {
  throw InvalidInput(fmt::format("range '{}': {}; write first:last:step, as 10:300:10", text, why));
}

/// first, last and, where it is given, step; and their unit.
struct Range {
  std::vector<Decimal> numbers{};
  std::string unit{};
};

Range range_in(const std::string& text) {
  Range range;
  std::string_view rest = text;
  while (true) {
    const auto colon = rest.find(':');
    const auto part = rest.substr(0, colon);
    const auto number_size = start_of_unit(part);
    const auto number = decimal(part.substr(0, number_size));
    if (!number) {
      refuse_range(text, fmt::format("'{}' is not a decimal number of at most {} digits", part,
                                     most_digits));
    }
    const auto unit = part.substr(number_size);
    if (range.numbers.empty()) range.unit = unit;
    if (unit != range.unit && (range.numbers.size() < 2 || !unit.empty())) {
      refuse_range(text, fmt::format("give all its numbers in one unit, not '{}' and '{}'",
                                     range.unit, unit));
    }
    range.numbers.push_back(*number);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  const std::size_t count = range.numbers.size();
  if (count < 2 || count > 3) refuse_range(text, fmt::format("{} numbers, not 2 or 3", count));
  return range;
}

/// About ten whole numbers, both ends among them: all, where there are no more than eleven.
std::vector<std::int64_t> spread_evenly(std::int64_t first, std::int64_t last) {
  const std::int64_t length = std::abs(last - first);
  std::int64_t intervals = length;
  if (length > 10) {
    constexpr std::array<std::int64_t, 3> about_ten{9, 10, 8};
    const auto* const even = std::find_if(about_ten.begin(), about_ten.end(),
                                          [&](std::int64_t one) { return length % one == 0; });
    intervals = even == about_ten.end() ? 9 : *even;
  }
  std::vector<std::int64_t> result{first};
  for (std::int64_t i = 1; i <= intervals; ++i) {
    const std::int64_t rounded = (2 * length * i + intervals) / (2 * intervals);
    result.push_back(first + (last < first ? -rounded : rounded));
  }
  return result;
}

std::vector<std::int64_t> in_steps(const std::string& text, std::int64_t first, std::int64_t last,
                                   std::int64_t step) {
  if (step == 0) refuse_range(text, "a step of 0 leads nowhere");
  if ((last - first) / step < 0 || (last != first && (last > first) != (step > 0))) {
    refuse_range(text, "the step leads away from its end");
  }
  const auto count = static_cast<std::uint64_t>((last - first) / step) + 1;
  if (count > most_points) {
    refuse_range(text, fmt::format("{} values; at most {}", count, most_points));
  }
  std::vector<std::int64_t> result;
  result.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    result.push_back(first + static_cast<std::int64_t>(i) * step);
  }
  return result;
}

}  // namespace

std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return b > 0 && a > most / b ? most : a * b;
}

std::vector<std::string> expanded(const std::string& text) {
  if (!is_meant_as_range(text)) return {text};
  const Range range = range_in(text);
  std::size_t decimals = 0;
  for (const Decimal& number : range.numbers) decimals = std::max(decimals, number.decimals);
  std::vector<std::int64_t> units;
  for (const Decimal& number : range.numbers) {
    const auto same = in_decimals(number, decimals);
    if (!same) refuse_range(text, "too many digits");
    units.push_back(*same);
  }
  const auto values = units.size() == 3 ? in_steps(text, units[0], units[1], units[2])
                                        : spread_evenly(units[0], units[1]);
  std::vector<std::string> result;
  result.reserve(values.size());
  for (const std::int64_t value : values) {
    result.push_back(text_of_value(value, decimals) + range.unit);
  }
  return result;
}

std::string substituted(std::string_view text, const Values& values) {
  std::string result;
  while (true) {
    const auto open = text.find('{');
    result += text.substr(0, open);
    if (open == std::string_view::npos) return result;
    text.remove_prefix(open);
    const auto close = text.find('}');
    const auto found = close == std::string_view::npos
                           ? values.end()
                           : values.find(std::string(text.substr(1, close - 1)));
    if (close == std::string_view::npos || close == 1) {
      throw InvalidInput(fmt::format("'{}' names no variable; write {{NAME}}", text));
    }
    if (found == values.end()) {
      throw InvalidInput(fmt::format("'{}' is not a variable; add {} = [50, 100] under [vary]",
                                     text.substr(0, close + 1), text.substr(1, close - 1)));
    }
    result += found->second;
    text.remove_prefix(close + 1);
  }
}

std::vector<std::string> variables_in(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const auto open = text.find('{');
    const auto close = text.find('}', std::min(open, text.size()));
    if (close == std::string_view::npos) return names;
    names.emplace_back(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

Points::Points(const Variables& variables, const std::vector<Variables>& zipped) {
  for (const auto& [name, values] : variables) add({{name, values}});
  for (const Variables& together : zipped) {
    if (!together.empty()) add(together);
  }
  at_.resize(axes_.size(), 0);
}

void Points::add(const Variables& together) {
  Axis axis;
  for (const auto& [name, values] : together) {
    axis.name += (axis.name.empty() ? "" : "+") + name;
    axis.rows.resize(values.size());
    for (std::size_t row = 0; row < values.size(); ++row) axis.rows[row][name] = values[row];
  }
  count_ = saturated_product(count_, axis.rows.size());
  axes_.push_back(std::move(axis));
}

std::string Points::text() const {
  std::string result;
  for (const Axis& axis : axes_) {
    result +=
        fmt::format("{}{}: {} values", result.empty() ? "" : ", ", axis.name, axis.rows.size());
  }
  return result;
}

Values Points::values() const {
  Values result;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const Values& row = axes_[axis].rows[at_[axis]];
    result.insert(row.begin(), row.end());
  }
  return result;
}

bool Points::next() {
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    if (++at_[axis] < axes_[axis].rows.size()) return true;
    at_[axis] = 0;
  }
  return false;
}

}  // namespace damocles
