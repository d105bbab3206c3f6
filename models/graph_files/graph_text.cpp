#include "models/graph_files/graph_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// The tasks before each task: those of task t are before[begin[t]] to before[begin[t + 1]].
struct Waits {
  explicit Waits(const TaskGraph::Parts& parts) : begin(parts.flops.size() + 1) {
    for (const auto& [task, other] : parts.dependencies) {
      ++begin[task + 1];
      before.push_back(other);
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
  }
  std::vector<std::size_t> begin;
  std::vector<Index> before;
};

/// A task that can never start because of a circle, and where the walk back from it closes.
std::vector<Index> circle(const TaskGraph::Parts& parts) {
  enum class State : std::uint8_t { unseen, open, closed };
  const Waits waits(parts);
  std::vector<State> state(parts.flops.size(), State::unseen);
  std::vector<std::size_t> next(waits.begin.begin(), waits.begin.end() - 1);
  std::vector<Index> path;
  for (std::size_t root = 0; root < state.size(); ++root) {
    if (state[root] != State::unseen) continue;
    path.push_back(static_cast<Index>(root));
    state[root] = State::open;
    while (!path.empty()) {
      const Index task = path.back();
      if (next[task] == waits.begin[task + 1]) {
        state[task] = State::closed;
        path.pop_back();
        continue;
      }
      const Index other = waits.before[next[task]++];
      if (state[other] == State::open) {
        path.erase(path.begin(), std::find(path.begin(), path.end(), other));
        return path;
      }
      if (state[other] == State::closed) continue;
      state[other] = State::open;
      path.push_back(other);
    }
  }
  return {};
}

std::string name_of(const TaskGraph::Parts& parts, Index task) {
  return parts.task_names.empty() ? fmt::format("T{}", task) : shown(parts.task_names[task]);
}

void refuse_circles(const TaskGraph::Parts& parts, std::string_view name) {
  const auto tasks = circle(parts);
  if (tasks.empty()) return;
  constexpr std::size_t few = 4;
  std::string text;
  for (std::size_t t = 0; t < std::min(few, tasks.size()); ++t) {
    text += fmt::format("'{}' after ", name_of(parts, tasks[t]));
  }
  if (tasks.size() > few) text += fmt::format("{} more after ", tasks.size() - few);
  refuse_file(name, 0,
              fmt::format("tasks wait for each other in a circle: {}'{}'; take one wait out", text,
                          name_of(parts, tasks[0])));
}

}  // namespace

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
                const std::vector<std::pair<Index, Index>>& entries) {
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
  refuse_circles(parts, name);
  try {
    return TaskGraph(std::move(parts));
  } catch (const InvalidInput& error) {
    refuse_file(name, 0, error.what());
  }
}

}  // namespace damocles
