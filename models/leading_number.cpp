// Reads the number that a text begins with, whatever the standard library has.
#include "models/leading_number.hpp"

#ifndef __cpp_lib_to_chars
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>
#endif

namespace damocles {

#ifdef __cpp_lib_to_chars

std::from_chars_result leading_number(std::string_view text, double& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value);
}

#else

namespace {

/// The length of the number without "inf" and "nan", which no caller takes; 0: there is none.
std::size_t length(std::string_view text) {
  const auto digits_from = [&](std::size_t at) {
    return std::min(text.find_first_not_of("0123456789", at), text.size());
  };
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  std::size_t end = digits_from(begin);
  std::size_t digits = end - begin;
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction_end = digits_from(end + 1);
    digits += fraction_end - end - 1;
    end = fraction_end;
  }
  if (digits == 0) return 0;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (const std::size_t exponent_end = digits_from(exponent); exponent_end > exponent) {
      end = exponent_end;
    }
  }
  return end;
}

}  // namespace

std::from_chars_result leading_number(std::string_view text, double& value) {
  const std::string number(text.substr(0, length(text)));
  if (number.empty()) return {text.data(), std::errc::invalid_argument};
  const double read = std::strtod(number.c_str(), nullptr);  // nobody sets another locale
  const bool zero =
      number.substr(0, number.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
  const bool in_range = std::isfinite(read) && (read != 0 || zero);
  if (in_range) value = read;
  return {text.data() + number.size(), in_range ? std::errc{} : std::errc::result_out_of_range};
}

#endif

}  // namespace damocles
