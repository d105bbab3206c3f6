#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// What a DOT file says of tasks, before it is a task graph.
///
/// Read by our own code: Boost.Graph's read_graphviz wants the whole text in memory, recurses as
/// deep as its braces nest, and says no line where it refuses; Graphviz's cgraph keeps every
/// attribute, those of drawing too, and reports what is wrong on standard error.

/// A piece of DOT text: a name, a mark or the end.
struct DotToken {
  enum class Kind : std::uint8_t { end, word, quoted, html, mark };

  Kind kind = Kind::end;
  std::string text{};    ///< of a name what it says, of HTML all with <>, of a mark "{", "->", ...
  std::size_t line = 1;  ///< where it begins

  [[nodiscard]] bool is(std::string_view mark) const { return kind == Kind::mark && text == mark; }
  [[nodiscard]] bool is_name() const {
    return kind == Kind::word || kind == Kind::quoted || kind == Kind::html;
  }
};

/// The tokens of a DOT file; blanks and comments (//, /* */, # to the end of the line) are skipped.
class DotTokens {
 public:
  /// `file` is what errors call the file.
  DotTokens(std::istream& in, std::string file);

  /// @throws InvalidInput on what is no DOT: other characters, a string that does not end
  void next(DotToken& token);

  [[noreturn]] void refuse(std::size_t line, std::string_view why) const;

 private:
  static constexpr int none = -1;

  [[nodiscard]] int peek(std::size_t ahead = 0) const { return ahead_.at(ahead); }
  char take();
  void skip_blanks();
  bool skip_comment();
  void read_quoted(DotToken& token);
  void read_html(DotToken& token);
  void read_word(DotToken& token);
  void read_mark(DotToken& token);

  std::istream& in_;
  std::string file_;
  std::array<int, 2> ahead_{none, none};  // the next characters
  std::size_t line_ = 1;
  int before_ = none;  // the last character that was no blank
};

/// What an HTML label, <...>, shows: its text on one line, without tags. Backslashes are doubled,
/// as in quoted text.
[[nodiscard]] std::string text_of_html(std::string_view html);

/// What is said of a node.
struct DotNode {
  std::optional<double> flops{};
  std::optional<double> weight{};  ///< what it computes where `flops` is not said
  std::optional<double> priority{};
  std::optional<std::uint64_t> output_bytes{};
  std::optional<std::uint32_t> kind{};     ///< in DotGraph::words
  std::optional<std::uint32_t> label{};    ///< in DotGraph::words
  std::optional<std::uint32_t> codelet{};  ///< PaRSEC's tooltip, in DotGraph::words
  bool is_circle = false;                  ///< as PaRSEC draws data
};

/// What is said of an edge.
struct DotEdge {
  TaskGraph::Index from = 0;
  TaskGraph::Index to = 0;
  std::uint32_t line = 0;
  std::optional<std::uint64_t> bytes{};   ///< 0: nothing passes
  std::optional<std::uint64_t> weight{};  ///< bytes, in a graph whose nodes have weights too
  std::optional<std::uint32_t> data{};    ///< its name, in DotGraph::words
  std::optional<std::uint32_t> tail{};    ///< ltail: the cluster it comes from, in DotGraph::words
  std::optional<std::uint32_t> head{};    ///< lhead
  bool orders = false;                    ///< nothing passes, whatever the user says
};

/// Texts, each kept once and known by its number.
class DotWords {
 public:
  std::uint32_t number(std::string_view text);
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const {
    return *words_[number];
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> words_;
};

/// Attributes of which nothing is read, as the file writes their names.
struct DotIgnored {
  using Names = std::set<std::string, std::less<>>;

  Names of_tasks{};
  Names of_edges{};
  Names of_graph{};

  static void add(Names& names, const std::string& name) {
    if (!names.contains(name)) names.insert(name);
  }
};

/// Nodes in the order in which they are first named, edges as they are drawn.
struct DotGraph {
  std::vector<std::string> names{};  ///< of nodes
  std::vector<DotNode> nodes{};
  std::vector<DotEdge> edges{};
  DotWords words{};
  DotIgnored ignored{};
  std::string name{};  ///< of the graph
  /// StarPU's tags that stand for their task: (tag, task).
  std::vector<std::pair<TaskGraph::Index, TaskGraph::Index>> tags{};
};

/// Reads a `digraph`. @throws InvalidInput in one line that names the file and the line
[[nodiscard]] DotGraph parse_dot(std::istream& in, const std::string& file);

}  // namespace damocles
