#include "models/graph_files/graph_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {

std::string shown(std::string_view piece, std::size_t longest) {
  std::string text(piece.substr(0, longest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return piece.size() > longest ? text + "..." : text;
}

std::optional<double> signed_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return parse_number(text);
}

void split_words(std::string_view text, std::vector<std::string_view>& words) {
  constexpr std::string_view blanks = " \t\r\v\f";
  words.clear();
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(blanks, at);
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
}

bool TextLines::next() {
  if (!std::getline(in_, text_)) {
    text_.clear();
    return false;
  }
  if (!text_.empty() && text_.back() == '\r') text_.pop_back();
  ++number_;
  return true;
}

bool TextLines::next_content() {
  while (next()) {
    const auto first = text_.find_first_not_of(" \t\r\v\f");
    if (first != std::string::npos && text_[first] != '%') return true;
  }
  return false;
}

const std::vector<std::string_view>& TextLines::words() {
  split_words(text_, words_);
  return words_;
}

void TextLines::refuse_at(std::size_t line, std::string_view why) const {
  refuse_file(name_, line, why);
}

std::uint64_t TextLines::whole(std::string_view word, std::string_view what, std::uint64_t lowest,
                               std::uint64_t highest) const {
  const auto value = parse_integer(word);
  if (!value || *value < lowest || *value > highest) {
    refuse(fmt::format("{} is '{}'; write a whole number from {} to {}", what, shown(word), lowest,
                       highest));
  }
  return *value;
}

void refuse_file(std::string_view name, std::size_t line, std::string_view why) {
  throw InvalidInput(line == 0 ? fmt::format("file '{}': {}", name, why)
                               : fmt::format("file '{}', line {}: {}", name, line, why));
}

void check_count(const TextLines& lines, std::size_t line, std::string_view what,
                 std::uint64_t count, std::uint64_t entries) {
  if (count <= entries + most_empty) return;
  lines.refuse_at(line, fmt::format("{} {}, but only {} entries follow; write at most {} more {} "
                                    "than entries",
                                    count, what, entries, most_empty, what));
}

void set_inputs(TaskGraph::Parts& parts, std::size_t tasks,
                const std::vector<std::pair<TaskGraph::Index, TaskGraph::Index>>& entries) {
  parts.input_begin.assign(tasks + 1, 0);
  for (const auto& [task, data] : entries) ++parts.input_begin[task + 1];
  std::partial_sum(parts.input_begin.begin(), parts.input_begin.end(), parts.input_begin.begin());
  std::vector<std::uint64_t> next(parts.input_begin.begin(), parts.input_begin.end() - 1);
  parts.inputs.resize(entries.size());
  for (const auto& [task, data] : entries) parts.inputs[next[task]++] = data;
}

TaskGraph finished(TaskGraph::Parts parts, std::string_view name) {
  auto& waits = parts.dependencies;
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  try {
    return TaskGraph(std::move(parts));
  } catch (const InvalidInput& error) {
    refuse_file(name, 0, error.what());
  }
}

}  // namespace damocles
