#include "experiments/studies/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
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

/// Whether the text is meant as a range: it has a colon, and before it a number, with blanks or
/// without, or nothing. Names do not begin so.
bool is_meant_as_range(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  constexpr std::string_view numeric = "0123456789.+-eE \t";
  return text.substr(0, colon).find_first_not_of(numeric) == std::string_view::npos;
}

[[noreturn]] void refuse_range(const std::string& text, const std::string& why) {
  throw InvalidInput(fmt::format("range '{}': {}; write first:last:step, as 10:300:10", text, why));
}

/// first, last, step.
std::vector<Decimal> three_numbers(const std::string& text) {
  std::vector<Decimal> numbers;
  std::string_view rest = text;
  while (true) {
    const auto colon = rest.find(':');
    const auto number = decimal(rest.substr(0, colon));
    if (!number) {
      refuse_range(text, fmt::format("'{}' is not a decimal number of at most {} digits",
                                     rest.substr(0, colon), most_digits));
    }
    numbers.push_back(*number);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (numbers.size() != 3) refuse_range(text, fmt::format("{} numbers, not 3", numbers.size()));
  return numbers;
}

}  // namespace

std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return b > 0 && a > most / b ? most : a * b;
}

std::vector<std::string> expanded(const std::string& text) {
  if (!is_meant_as_range(text)) return {text};
  const auto numbers = three_numbers(text);
  const auto refuse = [&](const std::string& why) { refuse_range(text, why); };
  std::size_t decimals = 0;
  for (const Decimal& number : numbers) decimals = std::max(decimals, number.decimals);
  std::vector<std::int64_t> units;
  for (const Decimal& number : numbers) {
    const auto same = in_decimals(number, decimals);
    if (!same) refuse("too many digits");
    units.push_back(*same);
  }
  const auto [first, last, step] = std::tuple(units[0], units[1], units[2]);
  if (step == 0) refuse("a step of 0 leads nowhere");
  if ((last - first) / step < 0 || (last != first && (last > first) != (step > 0))) {
    refuse("the step leads away from its end");
  }
  const auto count = static_cast<std::uint64_t>((last - first) / step) + 1;
  if (count > most_points) refuse(fmt::format("{} values; at most {}", count, most_points));
  std::vector<std::string> result;
  result.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    result.push_back(text_of_value(first + static_cast<std::int64_t>(i) * step, decimals));
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

Points::Points(std::map<std::string, std::vector<std::string>> variables)
    : variables_(std::move(variables)), at_(variables_.size(), 0) {
  for (const auto& [name, values] : variables_) count_ = saturated_product(count_, values.size());
}

std::string Points::text() const {
  std::string result;
  for (const auto& [name, values] : variables_) {
    result += fmt::format("{}{}: {} values", result.empty() ? "" : ", ", name, values.size());
  }
  return result;
}

Values Points::values() const {
  Values result;
  std::size_t variable = 0;
  for (const auto& [name, values] : variables_) result[name] = values[at_[variable++]];
  return result;
}

bool Points::next() {
  std::size_t variable = variables_.size();
  for (auto each = variables_.end(); each != variables_.begin();) {
    --each;
    --variable;
    if (++at_[variable] < each->second.size()) return true;
    at_[variable] = 0;
  }
  return false;
}

}  // namespace damocles
