#include "experiments/results/tables.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include "experiments/message.hpp"

namespace damocles {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view gap = "  ";
constexpr std::size_t least_wrapped = 16;  ///< no column of words is made narrower

/// Bytes are not columns: a UTF-8 letter may take several.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
}

bool is_blank(const std::string& cell) { return cell.empty() || cell == "–"; }

/// A column of a table: how wide, and whether it holds numbers alone.
struct Layout {
  std::size_t width = 0;
  bool numbers = true;
};

std::vector<Layout> layout_of(const Rows& rows) {
  std::vector<Layout> columns(rows.empty() ? 0 : rows[0].size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& cell = rows[r][c];
      columns[c].width = std::max(columns[c].width, length(cell));
      const bool number = is_blank(cell) || cell.find_first_of("0123456789") <= 1;
      if (r > 0 && !number) columns[c].numbers = false;
    }
  }
  return columns;
}

std::size_t total_width(const std::vector<Layout>& columns) {
  std::size_t width = columns.empty() ? 0 : gap.size() * (columns.size() - 1);
  for (const Layout& column : columns) width += column.width;
  return width;
}

/// The width where columns of words are narrowed.
std::size_t least_width(std::vector<Layout> columns) {
  constexpr std::size_t readable = 24;
  for (Layout& column : columns) {
    if (!column.numbers) column.width = std::min(column.width, readable);
  }
  return total_width(columns);
}

/// The widest column of words gives a letter at a time, until the table fits or none can give.
void narrow(std::vector<Layout>& columns, std::size_t screen) {
  while (total_width(columns) > screen) {
    Layout* widest = nullptr;
    for (Layout& column : columns) {
      if (column.numbers || column.width <= least_wrapped) continue;
      if (widest == nullptr || column.width > widest->width) widest = &column;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

/// Takes what follows the last sign between two choices off a full line, where one is in its second
/// half: a word is torn elsewhere only where it must be.
std::string split_off(std::string& line) {
  const std::size_t sign = line.find_last_of("|+,");
  if (sign == std::string::npos || sign < line.size() / 2) return "";
  std::string rest = line.substr(sign + 1);
  line.resize(sign + 1);
  return rest;
}

/// The lines of a cell, broken at spaces; a longer word is cut.
std::vector<std::string> lines_of(const std::string& cell, std::size_t width) {
  if (length(cell) <= width) return {cell};
  std::vector<std::string> lines(1);
  std::istringstream words(cell);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && length(lines.back()) + 1 + length(word) > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    for (const char letter : word) {
      const bool begins = (letter & '\xC0') != '\x80';
      if (begins && length(lines.back()) == width) lines.push_back(split_off(lines.back()));
      lines.back() += letter;
    }
  }
  return lines;
}

/// The escape that begins the colour of a cell, or "".
std::string_view colour_of(const std::string& cell, bool head) {
  if (head) return "\x1b[1m";
  if (cell == "agrees" || cell == "confirmed") return "\x1b[32m";
  for (const char* const bad : {"outside", "failed", "refuted", "not verified"}) {
    if (cell.starts_with(bad)) return "\x1b[31m";
  }
  return "";
}

/// A line of a row: of each of its cells the one piece that stands there.
std::string line_of(const std::vector<std::string>& pieces,
                    const std::vector<std::string_view>& colours,
                    const std::vector<Layout>& columns) {
  std::string line;
  std::size_t pad = 0;  // spaces owed: none stand at the end of a line
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& piece = pieces[c];
    const std::size_t missing = columns[c].width - std::min(columns[c].width, length(piece));
    if (c > 0) pad += gap.size();
    if (columns[c].numbers) pad += missing;
    if (!piece.empty()) {
      line.append(std::exchange(pad, 0), ' ').append(colours[c]).append(piece);
      if (!colours[c].empty()) line += "\x1b[0m";
    }
    if (!columns[c].numbers) pad += missing;
  }
  return line;
}

void append_row(std::string& text, const std::vector<std::string>& row,
                const std::vector<Layout>& columns, bool head, bool colour) {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string_view> colours;
  std::size_t height = 1;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    colours.push_back(colour ? colour_of(row[c], head) : "");
    cells.push_back(lines_of(row[c], columns[c].width));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t i = 0; i < height; ++i) {
    std::vector<std::string> pieces;
    for (const auto& lines : cells) pieces.push_back(i < lines.size() ? lines[i] : "");
    text += line_of(pieces, colours, columns) + "\n";
  }
}

/// The columns of sentences, the first one apart: words of more than 24 letters on average.
std::vector<std::size_t> sentence_columns(const Rows& rows, const std::vector<Layout>& columns) {
  constexpr std::size_t longest_words = 24;
  std::vector<std::size_t> found;
  for (std::size_t c = 1; c < columns.size(); ++c) {
    std::size_t sum = 0;
    std::size_t count = 0;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      sum += length(rows[r][c]);
      count += is_blank(rows[r][c]) ? 0 : 1;
    }
    if (!columns[c].numbers && sum > longest_words * count) found.push_back(c);
  }
  return found;
}

/// The cells of some columns, or of all others.
Rows some_columns(const Rows& rows, const std::vector<std::size_t>& chosen, bool others) {
  Rows part(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const bool is_chosen = std::find(chosen.begin(), chosen.end(), c) != chosen.end();
      if (is_chosen != others) part[r].push_back(rows[r][c]);
    }
  }
  return part;
}

/// Each sentence of an entry, below its line; of several each says what it is.
void append_sentences(std::string& text, const std::vector<std::string>& sentences,
                      const std::vector<std::string>& head, std::size_t screen) {
  constexpr std::size_t indent = 4;
  for (std::size_t c = 0; c < sentences.size(); ++c) {
    if (is_blank(sentences[c])) continue;
    const std::string label = sentences.size() > 1 ? head[c] + ": " : "";
    for (const std::string& line : lines_of(label + sentences[c], screen - indent)) {
      text.append(indent, ' ').append(line) += "\n";
    }
  }
}

/// How many columns from `first` on fit beside the one of column 0; at least one.
std::size_t block_end(const std::vector<Layout>& columns, std::size_t first, std::size_t screen) {
  std::size_t width = columns[0].width;
  std::size_t end = first;
  while (end < columns.size()) {
    width += gap.size() + columns[end].width;
    if (screen > 0 && width > screen && end > first) break;
    ++end;
  }
  return end;
}

}  // namespace

void drop_blank_columns(Rows& rows) {
  if (rows.size() < 2) return;  // a head alone says what there would be
  for (std::size_t c = rows[0].size(); c-- > 0;) {
    const bool blank = std::all_of(rows.begin() + 1, rows.end(),
                                   [c](const auto& row) { return is_blank(row[c]); });
    if (!blank) continue;
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

TableStyle style_for(const std::filesystem::path& output) {
  if (!output.empty() || !is_terminal(STDOUT_FILENO)) return {};
  winsize screen{};
  TableStyle style{80, true};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) == 0 && screen.ws_col > 0) {
    style.width = screen.ws_col;
  }
  const char* const without = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  style.colour = (without == nullptr || *without == '\0') && terminal != nullptr &&
                 std::string_view(terminal) != "dumb";
  return style;
}

std::string aligned(Rows rows, const TableStyle& style) {
  if (rows.empty()) return {};
  for (auto& row : rows) row.resize(rows[0].size());
  drop_blank_columns(rows);
  if (rows[0].empty()) return {};
  auto columns = layout_of(rows);
  if (style.width > 0) narrow(columns, style.width);
  std::string text;
  std::size_t first = 1;
  do {
    const std::size_t end = block_end(columns, first, style.width);
    if (first > 1) text += "\n";
    std::vector<std::size_t> chosen{0};
    for (std::size_t c = first; c < end; ++c) chosen.push_back(c);
    std::vector<Layout> block;
    for (const std::size_t c : chosen) block.push_back(columns[c]);
    for (const auto& row : rows) {
      std::vector<std::string> cells;
      for (const std::size_t c : chosen) cells.push_back(row[c]);
      append_row(text, cells, block, &row == rows.data(), style.colour);
    }
    first = end;
  } while (first < columns.size());
  return text;
}

std::string aligned_entries(Rows rows, const TableStyle& style) {
  constexpr std::size_t readable = 40;
  if (rows.empty() || style.width <= readable) return aligned(std::move(rows), style);
  drop_blank_columns(rows);
  const auto whole = layout_of(rows);
  const auto sentences = sentence_columns(rows, whole);
  auto columns = whole;
  narrow(columns, style.width);
  if (std::none_of(sentences.begin(), sentences.end(), [&](std::size_t c) {
        return columns[c].width < std::min(readable, whole[c].width);
      })) {
    return aligned(std::move(rows), style);
  }
  const Rows words = some_columns(rows, sentences, true);
  const Rows below = some_columns(rows, sentences, false);
  columns = layout_of(words);
  narrow(columns, style.width);
  std::string text;
  if (total_width(columns) > style.width) {  // the line alone takes several blocks
    Rows last = some_columns(rows, {0}, false);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      last[r].insert(last[r].end(), below[r].begin(), below[r].end());
    }
    return aligned(words, style) + "\n" + aligned(last, style);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    append_row(text, words[r], columns, r == 0, style.colour);
    if (r > 0 || below[r].size() == 1) append_sentences(text, below[r], below[0], style.width);
  }
  return text;
}

std::vector<std::string> fit(Rows& rows, std::size_t width,
                             std::span<const std::string_view> first_out) {
  std::vector<std::string> left_out;
  if (rows.empty()) return left_out;
  for (const std::string_view name : first_out) {
    if (least_width(layout_of(rows)) <= width) break;
    const auto at = std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin();
    if (at == std::ssize(rows[0])) continue;
    for (auto& row : rows) row.erase(row.begin() + at);
    left_out.emplace_back(name);
  }
  return left_out;
}

std::string wrapped(const std::string& lines, const TableStyle& style) {
  if (style.width == 0) return lines;
  std::istringstream all(lines);
  std::string text;
  for (std::string line; std::getline(all, line);) {
    for (const std::string& piece : lines_of(line, style.width)) text += piece + "\n";
  }
  return text;
}

std::string markdown_table(const Rows& rows) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& value : rows[r]) text += "| " + value + " ";
    text += "|\n";
    for (std::size_t c = 0; r == 0 && c < rows[r].size(); ++c) text += "| --- ";
    if (r == 0) text += "|\n";
  }
  return text;
}

namespace {

/// What LaTeX prints as this letter.
std::string latex_letter(char letter) {
  if (letter == '\\') return "\\textbackslash{}";
  if (letter == '~' || letter == '^') return std::string("\\") + letter + "{}";
  return (std::string_view("_%&#${}").find(letter) < std::string_view::npos ? "\\" : "") +
         std::string(1, letter);
}

std::string latex_row(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += " & ";
    for (const char letter : cells[c]) line += latex_letter(letter);
  }
  return line + " \\\\\n";
}

}  // namespace

std::string latex_table(const Rows& rows) {
  std::string text = "\\begin{tabular}{";
  for (const Layout& column : layout_of(rows)) text += column.numbers ? 'r' : 'l';
  text += "}\n\\toprule\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += latex_row(rows[r]) + (r == 0 ? "\\midrule\n" : "");
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string number_cell(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "–";
}

double relative_difference(double value, double reference) {
  return value == reference ? 0 : value / reference - 1;
}

std::string signed_percent(const std::optional<double>& share) {
  return share ? fmt::format("{:+.1f} %", 100 * *share) : "–";
}

}  // namespace damocles
