// What an HTML label of a DOT file shows, as text.

#include <array>
#include <string>
#include <utility>

#include "models/error.hpp"
#include "models/graph_files/dot_text.hpp"

namespace damocles {
namespace {

/// The tags at which a line or a cell of a table ends; those of fonts end nothing.
bool parts_words(std::string_view tag) {
  const std::string name = in_lower_case(tag);
  for (const std::string_view other : {"br", "/td", "/tr", "hr", "vr", "/table"}) {
    if (!name.starts_with(other)) continue;
    if (name.size() == other.size() || name.find_first_of(" /\t\n") == other.size()) return true;
  }
  return false;
}

/// Replaces an entity, &amp;, by its character; others stay as they are written.
std::string_view entity(std::string_view rest, std::string& text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> known{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&nbsp;", ' '}}};
  for (const auto& [word, c] : known) {
    if (!rest.starts_with(word)) continue;
    text += c;
    return rest.substr(word.size());
  }
  text += '&';
  return rest.substr(1);
}

/// One blank where there are several, none at the ends; backslashes doubled.
std::string tidied(std::string_view text) {
  std::string result;
  bool blank = false;
  for (const char c : text) {
    if (std::string_view(" \t\r\n\v\f").find(c) != std::string_view::npos) {
      blank = !result.empty();
      continue;
    }
    if (blank) result += ' ';
    blank = false;
    if (c == '\\') result += c;
    result += c;
  }
  return result;
}

}  // namespace

std::string text_of_html(std::string_view html) {
  std::string text;
  std::string_view rest = html.substr(1, html.size() - 2);
  while (!rest.empty()) {
    if (rest[0] == '<') {
      const bool comment = rest.starts_with("<!--");
      const std::string_view close = comment ? "-->" : ">";
      const auto end = rest.find(close);
      if (!comment && parts_words(rest.substr(1, end - 1))) text += ' ';
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + close.size());
    } else if (rest[0] == '&') {
      rest = entity(rest, text);
    } else {
      text += rest[0];
      rest.remove_prefix(1);
    }
  }
  return tidied(text);
}

}  // namespace damocles
