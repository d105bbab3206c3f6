#include "experiments/results/stated_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/digest.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

constexpr std::string_view digest_key = "\"digest\"";
constexpr std::string_view blanks = " \t\r\n";

/// Of the words of JSON, however they are laid out.
std::string digest_of_words(std::string_view json) {
  Digest digest;
  bool in_string = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (in_string && json[at] == '\\') {
      ++at;
    } else if (json[at] == '"') {
      in_string = !in_string;
    } else if (!in_string && blanks.find(json[at]) != std::string_view::npos) {
      digest.add(json.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  digest.add(json.substr(std::min(begin, json.size())));
  return digest.hex();
}

std::string_view without_blanks_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// As the text ends, but for blanks.
std::string end_with(const std::string& hex) { return fmt::format("{}:\"{}\"}}", digest_key, hex); }

}  // namespace

std::string with_digest(std::string text) {
  text.resize(without_blanks_at_end(text).size() - 1);  // up to the last brace
  text.resize(without_blanks_at_end(text).size());
  const std::string hex = digest_of_words(text);
  return std::move(text) + ",\n" + end_with(hex) + "\n";
}

void check_digest(const std::string& file, std::string_view text) {
  const std::size_t at = text.rfind(digest_key);
  if (at == std::string_view::npos) return;
  const std::string_view before = without_blanks_at_end(text.substr(0, at));
  if (before.ends_with(',')) {
    const std::string hex = digest_of_words(before.substr(0, before.size() - 1));
    std::string end(text.substr(at));
    std::erase_if(end, [](char c) { return blanks.find(c) != std::string_view::npos; });
    if (end == end_with(hex)) return;
  }
  throw InvalidInput(fmt::format(
      "{} was changed since damocles wrote it: its digest is another; write it again", file));
}

}  // namespace damocles
