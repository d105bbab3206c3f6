#include <fmt/format.h>

#include <cctype>
#include <streambuf>

#include "models/graph_files/dot_text.hpp"
#include "models/graph_files/graph_text.hpp"

namespace damocles {
namespace {

bool is_digit(int c) { return c >= '0' && c <= '9'; }

/// Of a name without quotes; every byte of a letter beyond ASCII is one.
bool is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

bool is_blank(int c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

bool is_number_so_far(std::string_view text) {
  return text.find_first_not_of("-.0123456789") == std::string_view::npos;
}

}  // namespace

DotTokens::DotTokens(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {
  take();
  take();
  if (peek() == 0xef && peek(1) == 0xbb) {
    for (std::size_t i = 0; i < utf8_mark.size(); ++i) take();
  }
}

void DotTokens::refuse(std::size_t line, std::string_view why) const {
  refuse_file(file_, line, why);
}

char DotTokens::take() {
  const int taken = ahead_[0];
  ahead_[0] = ahead_[1];
  const auto c = in_.rdbuf()->sbumpc();
  const bool ends = std::streambuf::traits_type::eq_int_type(c, std::streambuf::traits_type::eof());
  ahead_[1] = ends ? none : c;
  if (taken == '\n') ++line_;
  if (!is_blank(taken)) before_ = taken;
  return static_cast<char>(taken);
}

/// False where none begins here: color=#ff0000 is a value without its quotes.
bool DotTokens::skip_comment() {
  if ((peek() == '#' && before_ != '=') || (peek() == '/' && peek(1) == '/')) {
    const int before = before_;
    while (peek() != none && peek() != '\n') take();
    before_ = before;
    return true;
  }
  if (peek() != '/' || peek(1) != '*') return false;
  const std::size_t begin = line_;
  take();
  take();
  while (peek() != '*' || peek(1) != '/') {
    if (peek() == none) refuse(begin, "a comment without end; close it with */");
    take();
  }
  take();
  take();
  return true;
}

void DotTokens::skip_blanks() {
  while (is_blank(peek()) || skip_comment()) {
    if (is_blank(peek())) take();
  }
}

void DotTokens::next(DotToken& token) {
  skip_blanks();
  token.text.clear();
  token.line = line_;
  const int c = peek();
  const int after = peek(1);
  if (c == none) {
    token.kind = DotToken::Kind::end;
  } else if (c == '"') {
    read_quoted(token);
  } else if (c == '<') {
    read_html(token);
  } else if (is_letter(c) || is_digit(c) || ((c == '.' || c == '-') && is_digit(after)) ||
             (c == '-' && after == '.')) {
    read_word(token);
  } else {
    read_mark(token);
  }
}

void DotTokens::read_quoted(DotToken& token) {
  token.kind = DotToken::Kind::quoted;
  take();
  while (peek() != '"') {
    if (peek() == none) refuse(token.line, "a string without end; close it with \"");
    const char c = take();
    if (c == '\\' && peek() == '"') {
      token.text += take();
    } else if (c == '\\' && peek() == '\\') {  // kept: in a label it is no line's end
      token.text += c;
      token.text += take();
    } else if (c == '\\' && (peek() == '\n' || (peek() == '\r' && peek(1) == '\n'))) {
      if (take() == '\r') take();  // a line that goes on
    } else {
      token.text += c;
    }
  }
  take();
}

/// <...>, tags inside it and all; in comments, <!-- ... -->, brackets do not count.
void DotTokens::read_html(DotToken& token) {
  token.kind = DotToken::Kind::html;
  std::size_t open = 0;
  bool comment = false;
  do {
    if (peek() == none) refuse(token.line, "HTML without end; close its '<' with >");
    const char c = take();
    token.text += c;
    const std::string_view text = token.text;
    if (comment) {
      comment = !text.ends_with("-->");
    } else if (text.size() > 4 && text.ends_with("<!--")) {
      comment = true;
      --open;
    } else if (c == '<') {
      ++open;
    } else if (c == '>') {
      --open;
    }
  } while (open > 0 || comment);
}

/// A name of letters, digits and _, or a number, also as 1e-9, which Graphviz wants in quotes.
void DotTokens::read_word(DotToken& token) {
  token.kind = DotToken::Kind::word;
  std::string& text = token.text;
  text += take();
  for (int c = peek(); c != none; c = peek()) {
    const bool number = text != "-" && is_number_so_far(text);
    const bool exponent = (c == '+' || c == '-') && is_digit(peek(1)) &&
                          (text.back() == 'e' || text.back() == 'E') &&
                          is_number_so_far(std::string_view(text).substr(0, text.size() - 1));
    if (!is_letter(c) && !is_digit(c) && !exponent && !(c == '.' && (number || text == "-"))) break;
    text += take();
  }
}

void DotTokens::read_mark(DotToken& token) {
  token.kind = DotToken::Kind::mark;
  token.text += take();
  const char c = token.text[0];
  if (c == '-' && (peek() == '>' || peek() == '-')) {
    token.text += take();
    return;
  }
  if (std::string_view("{}[]=;,:+").find(c) == std::string_view::npos) {
    refuse(
        token.line,
        fmt::format(
            "'{}' has no meaning here; write names of other characters than letters, digits and _ in double quotes",
            shown(token.text)));
  }
}

}  // namespace damocles
