#pragma once

#include <string>
#include <string_view>

namespace damocles {

/// `text` as a JSON string, in quotes: control characters, quotes and backslashes are escaped, and
/// what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_quoted(std::string_view text);

/// Why nlohmann-json refused a text, from the message of its exception: "the file ends before its
/// JSON is complete; ..." or "not JSON: ...". Line and column are left out unless `with_place`.
[[nodiscard]] std::string json_fault(std::string_view message, bool with_place = false);

/// `text` where it is UTF-8; elsewhere each of its bytes that is none becomes U+FFFD.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace damocles
