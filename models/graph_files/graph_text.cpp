#include "models/graph_files/graph_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "models/compressed_rows.hpp"
#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/json_text.hpp"
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

std::optional<std::uint32_t> parse_footprint(std::string_view text) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value, 16);
  return error == std::errc{} && read == end ? std::optional(value) : std::nullopt;
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
  if (number_ == 0 && text_.starts_with(utf8_mark)) text_.erase(0, utf8_mark.size());
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
  lines.refuse_at(
      line, fmt::format("{} {}, but only {} entries follow; write at most {} more {} than entries",
                        count, what, entries, most_empty, what));
}

void set_inputs(TaskGraph::Parts& parts, std::size_t tasks,
                const std::vector<std::pair<TaskGraph::Index, TaskGraph::Index>>& entries) {
  auto rows = compressed_rows<std::uint64_t, TaskGraph::Index>(tasks, [&](auto&& add) {
    for (const auto& [task, data] : entries) add(task, data);
  });
  parts.input_begin = std::move(rows.begin);
  parts.inputs = std::move(rows.entries);
}

void add_passing_tasks(TaskGraph::Parts& parts, const std::vector<double>& flops,
                       const std::vector<PassedData>& passed) {
  std::vector<std::vector<TaskGraph::Index>> accessed(flops.size());
  std::vector<std::vector<Access>> how(flops.size());
  const auto access = [&](TaskGraph::Index task, Access one) {
    accessed[task].push_back(static_cast<TaskGraph::Index>(parts.bytes.size() - 1));
    how[task].push_back(one);
  };
  for (const PassedData& data : passed) {
    for (const TaskGraph::Index task : data.to) parts.dependencies.emplace_back(task, data.from);
    if (data.bytes == 0) continue;
    parts.bytes.push_back(data.bytes);
    access(data.from, Access::write);
    for (const TaskGraph::Index task : data.to) access(task, Access::read);
  }
  for (std::size_t task = 0; task < flops.size(); ++task) {
    parts.add_task(accessed[task], how[task], flops[task]);
  }
  parts.lifetimes.assign(parts.bytes.size(), Lifetime::by_use);
}

void set_kinds(TaskGraph::Parts& parts, const std::vector<std::string_view>& kinds) {
  parts.task_kinds.clear();
  parts.kind_names.clear();
  const auto is_known = [](std::string_view kind) { return !kind.empty(); };
  if (std::none_of(kinds.begin(), kinds.end(), is_known)) return;
  std::unordered_map<std::string, std::uint16_t> numbers;
  for (const std::string_view kind : kinds) {
    const auto next = static_cast<std::uint16_t>(numbers.size());
    const auto [entry, is_new] = numbers.emplace(as_utf8(kind), next);
    if (numbers.size() > most_kinds) {
      parts.task_kinds.clear();
      parts.kind_names.clear();
      return;
    }
    if (is_new) parts.kind_names.push_back(entry->first);
    parts.task_kinds.push_back(entry->second);
  }
}

TaskGraph finished(TaskGraph::Parts parts, std::string_view name) {
  auto& waits = parts.dependencies;
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  try {
    return TaskGraph(std::move(parts));
  } catch (const InvalidInput& error) {
    refuse_file(name, 0, shown(error.what(), std::string_view::npos));  // names may hold lines
  }
}

}  // namespace damocles
