#pragma once

#include <charconv>
#include <string_view>

namespace damocles {

/// Reads the number that the text begins with, as std::from_chars does: the longest prefix that is
/// one, in the C locale. libc++ has no std::from_chars of double before version 20.
std::from_chars_result leading_number(std::string_view text, double& value);

}  // namespace damocles
