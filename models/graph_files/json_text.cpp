#include "models/graph_files/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace damocles {

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// nlohmann-json replaces what is not UTF-8 only where it writes, so the text is written and read
// back. Boost.Nowide would also replace valid letters behind an invalid byte.
std::string as_utf8(std::string_view text) {
  const auto high = [](unsigned char c) { return c >= 0x80U; };
  if (std::none_of(text.begin(), text.end(), high)) return std::string(text);
  return nlohmann::json::parse(json_quoted(text)).get<std::string>();
}

}  // namespace damocles
