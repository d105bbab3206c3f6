#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// What the readers of task graphs share: lines with their numbers, limits, and one form of error.

inline constexpr std::uint64_t most_items = std::uint64_t{1} << 31U;  ///< tasks, data or inputs
inline constexpr std::uint64_t most_empty = std::uint64_t{1} << 20U;  ///< tasks or data of no entry
/// Of one data item or output.
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50U;
inline constexpr double most_flops = 1e30;            ///< of one task
inline constexpr std::size_t most_kinds = 1U << 16U;  ///< of tasks

/// The byte-order mark of UTF-8, which some editors and spreadsheets write first.
inline constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

/// A piece of a file as an error may show it: control characters as '?', cut where it is long.
[[nodiscard]] std::string shown(std::string_view piece, std::size_t longest = 40);

/// A finite number, also with a sign '+' as C and Fortran write them; nothing where it is none.
[[nodiscard]] std::optional<double> signed_number(std::string_view text);

/// StarPU's footprint of a task: up to 8 hexadecimal digits; nothing where the text is none.
[[nodiscard]] std::optional<std::uint32_t> parse_footprint(std::string_view text);

/// The words of a line: what stands between blanks.
void split_words(std::string_view text, std::vector<std::string_view>& words);

/// A text file, line by line.
class TextLines {
 public:
  /// `name` is what errors call the file.
  TextLines(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  /// Goes to the next line; false at the end of the file. Ends \n and \r\n alike, and skips a
  /// byte-order mark at the beginning of the file.
  bool next();
  /// Goes to the next line that is neither blank nor a comment, which begins with '%'.
  bool next_content();

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const std::vector<std::string_view>& words();
  /// Of this line, from 1; at the end of the file, of the last line.
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// "file 'x.mtx', line 7: why".
  [[noreturn]] void refuse(std::string_view why) const { refuse_at(number_, why); }
  [[noreturn]] void refuse_at(std::size_t line, std::string_view why) const;

  /// A whole number in [lowest, highest] on this line; else refuses: "`what` is 'x'; write ...".
  [[nodiscard]] std::uint64_t whole(std::string_view word, std::string_view what,
                                    std::uint64_t lowest, std::uint64_t highest) const;

 private:
  std::istream& in_;
  std::string name_;
  std::string text_;
  std::vector<std::string_view> words_;
  std::size_t number_ = 0;
};

/// "file 'x.json', line 7: why"; without a line where it is 0.
[[noreturn]] void refuse_file(std::string_view name, std::size_t line, std::string_view why);

/// Refuses a count that no lines of the file back: more than 2^20 of `what` beyond its entries.
void check_count(const TextLines& lines, std::size_t line, std::string_view what,
                 std::uint64_t count, std::uint64_t entries);

/// Rows of a matrix as tasks: turns (task, data) pairs into inputs, their order in a row kept.
void set_inputs(TaskGraph::Parts& parts, std::size_t tasks,
                const std::vector<std::pair<TaskGraph::Index, TaskGraph::Index>>& entries);

/// A data item that one task writes and hands on to others; it is temporary if there are any.
struct PassedData {
  std::uint64_t bytes = 0;  ///< 0: the others only wait
  TaskGraph::Index from = 0;
  std::vector<TaskGraph::Index> to{};
};

/// Adds tasks of these flops, which write, read and wait as `passed` says. @pre `parts` is empty
void add_passing_tasks(TaskGraph::Parts& parts, const std::vector<double>& flops,
                       const std::vector<PassedData>& passed);

/// Gives each task its kind, "" where it is not known. No task has one if all are "", or if there
/// are more than 2^16: labels that all differ are no kinds.
void set_kinds(TaskGraph::Parts& parts, const std::vector<std::string_view>& kinds);

/// The graph of these parts, dependencies sorted, each once.
/// @throws InvalidInput, naming the file, as TaskGraph does and where tasks wait in a circle
[[nodiscard]] TaskGraph finished(TaskGraph::Parts parts, std::string_view name);

}  // namespace damocles
