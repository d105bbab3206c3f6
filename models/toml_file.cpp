#include "models/toml_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/error.hpp"

namespace damocles {
namespace {

constexpr std::size_t deepest = 16;

/// Walks over a text and stops before it nests too deeply. What TOML forbids is left to the parser.
class DepthCheck {
 public:
  DepthCheck(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  /// Of a text that the parser refused: the string that is not closed, if there is one.
  struct OpenString {
    std::size_t line = 0;  ///< 0: there is none
    std::string quote{};
  };

  OpenString run() {
    while (!text_.empty()) {
      const char letter = text_.front();
      if (letter == '"' || letter == '\'') {
        skip_string();
        continue;
      }
      if (letter == '#') {
        skip(text_.find('\n'));
        continue;
      }
      take(letter);
      skip(1);
    }
    return open_;
  }

 private:
  void take(char letter) {
    if (letter == '[' || letter == '{') {
      ++depth_;
      dots_ = 0;
    } else if (letter == ']' || letter == '}') {
      if (depth_ > 0) --depth_;
      dots_ = 0;
    } else if (letter == ',' || letter == '=' || letter == '\n') {
      dots_ = 0;
    } else if (letter == '.') {
      ++dots_;
    }
    if (depth_ > deepest)
      refuse(fmt::format("lists and tables more than {} deep; write fewer", deepest));
    if (dots_ >= deepest) refuse(fmt::format("a key of more than {} parts; write fewer", deepest));
  }

  static bool is_nul(std::string_view escape) {
    return escape.starts_with("\\u0000") || escape.starts_with("\\U00000000");
  }

  /// Past a string of either kind, of one line or of several.
  void skip_string() {
    const char quote = text_.front();
    const bool several = text_.size() > 2 && text_[1] == quote && text_[2] == quote;
    const std::size_t length = several ? 3 : 1;
    const std::string end(length, quote);
    bool closed = false;
    std::size_t at = length;
    while (at < text_.size()) {
      if (quote == '"' && text_[at] == '\\') {
        if (is_nul(text_.substr(at))) {
          skip(at);
          refuse("a NUL, which no name or number has; take it out");
        }
        at += 2;
      } else if (!several && text_[at] == '\n') {
        break;  // not closed
      } else if (text_.substr(at, length) == end) {
        at += length;
        // """"a"""": a string of several lines may end in quotes of its own.
        for (int own = 0; several && own < 2 && text_.substr(at).starts_with(quote); ++own) ++at;
        closed = true;
        break;
      } else {
        ++at;
      }
    }
    if (!closed && open_.line == 0) open_ = {line_, end};
    skip(at);
  }

  void skip(std::size_t letters) {
    const auto passed = text_.substr(0, letters);
    for (const char letter : passed) line_ += letter == '\n' ? 1 : 0;
    text_.remove_prefix(passed.size());
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw InvalidInput(fmt::format("{}, line {}: {}", where_, line_, what));
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t line_ = 1;
  std::size_t depth_ = 0;
  std::size_t dots_ = 0;
  OpenString open_;
};

/// The line of that number, without the blanks around it and a comment.
std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find_first_of("#\r\n"));
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// What to write instead of a line that the parser refused, or what it said itself.
std::string text_of_refusal(std::string_view line, std::string_view refusal) {
  if (refusal.find("table header: expected ']'") != std::string_view::npos) {
    const std::size_t brackets = line.starts_with("[[") ? 2 : 1;
    return fmt::format("'{0}' lacks its {3}; write {1}{2}{3}", line, std::string(brackets, '['),
                       line.substr(brackets, line.find(']') - brackets),
                       std::string(brackets, ']'));
  }
  const auto equals = std::min(line.find('='), line.size());
  const auto value = std::min(line.find_first_not_of(" \t=", equals), line.size());
  const bool is_bare =
      value < line.size() && std::string_view("\"'[{").find(line[value]) == std::string_view::npos;
  if (!is_bare || refusal.find("redefine") != std::string_view::npos) return std::string(refusal);
  return fmt::format("'{}' is not valid; write a text in quotes, as {}\"{}\"", line,
                     line.substr(0, value), line.substr(value));
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view where) {
  const auto open = DepthCheck(text, where).run();
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const std::size_t line = error.source().begin.line;
    const bool in_string = error.description().find("string") != std::string_view::npos;
    if (open.line > 0 && open.line <= line && in_string) {
      throw InvalidInput(fmt::format("{}, line {}: a string is not closed; end it with {}", where,
                                     open.line, open.quote));
    }
    throw InvalidInput(fmt::format("{}, line {}: {}", where, line,
                                   text_of_refusal(line_of(text, line), error.description())));
  }
}

toml::table read_toml(const std::string& path, const InputKind& kind) {
  const std::string text = read_file(path, kind);
  try {
    return parse_toml(text, fmt::format("{} '{}'", kind.what, path));
  } catch (const InvalidInput& error) {
    if (path.ends_with(".toml")) throw;
    throw InvalidInput(fmt::format("{}; {}", error.what(), kind.right));
  }
}

}  // namespace damocles
