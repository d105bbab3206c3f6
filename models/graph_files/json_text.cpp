#include "models/graph_files/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/graph_files/graph_text.hpp"

namespace damocles {

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_fault(std::string_view message, bool with_place) {
  // At the end of a text, within a string too.
  for (const std::string_view end : {"unexpected end of input", "missing closing quote"}) {
    if (message.find(end) == std::string_view::npos) continue;
    return "the file ends before its JSON is complete; it seems truncated, so write or copy it again";
  }
  // "[json.exception.parse_error.101] parse error at line 1, column 2: what": only what is new.
  message.remove_prefix(std::min(message.size(), message.find("] ") + 2));
  if (!with_place && message.starts_with("parse error at"))
    message.remove_prefix(message.find(": ") + 2);
  return fmt::format("not JSON: {}", shown(message, 200));
}

// nlohmann-json replaces what is not UTF-8 only where it writes, so the text is written and read
// back. Boost.Nowide would also replace valid letters behind an invalid byte.
std::string as_utf8(std::string_view text) {
  const auto high = [](unsigned char c) { return c >= 0x80U; };
  if (std::none_of(text.begin(), text.end(), high)) return std::string(text);
  return nlohmann::json::parse(json_quoted(text)).get<std::string>();
}

}  // namespace damocles
