#include "models/toml_file.hpp"

#include <fmt/format.h>

#include "models/error.hpp"

namespace damocles {
namespace {

constexpr std::size_t deepest = 16;

/// Walks over a text and stops before it nests too deeply. What TOML forbids is left to the parser.
class DepthCheck {
 public:
  DepthCheck(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  void run() {
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
      } else if (text_[at] == quote &&
                 (!several || text_.substr(at, length) == std::string(length, quote))) {
        at += length;
        break;
      } else {
        ++at;
      }
    }
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
};

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view where) {
  DepthCheck(text, where).run();
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InvalidInput(
        fmt::format("{}, line {}: {}", where, error.source().begin.line, error.description()));
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
