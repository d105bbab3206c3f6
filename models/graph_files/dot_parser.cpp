#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/error.hpp"
#include "models/graph_files/dot_subgraphs.hpp"
#include "models/graph_files/dot_text.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/graph_files/json_text.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

constexpr std::size_t deepest_braces = 100;        // braces in braces; each takes some of the stack
constexpr std::size_t longest_name = 255;          // data are named after both ends of their edge
constexpr std::size_t most_of_braces = 1U << 18U;  // edges of {...} -> {...}, beside those written

constexpr auto right_graph = "write digraph { a -> b; }";

/// What new nodes and edges have where nothing else is said of them.
struct Scope {
  DotNode node{};
  DotEdge edge{};
};

struct Range {
  double lowest;
  double highest;
};

std::uint64_t whole(double bytes) { return static_cast<std::uint64_t>(std::round(bytes)); }

/// Text with its backslashes as they are meant; Graphviz keeps two, and so do tokens.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "\\\\") ++at;
    result += text[at];
  }
  return result;
}

/// A label without what breaks its lines.
std::string one_line(std::string_view label) {
  std::string text;
  for (std::size_t at = 0; at < label.size(); ++at) {
    const bool escape = label[at] == '\\' && at + 1 < label.size();
    if (!escape) {
      text += label[at];
      continue;
    }
    const char c = label[++at];
    text += c == 'n' || c == 'l' || c == 'r' ? ' ' : c;
  }
  return text;
}

/// The name of the task's class in PaRSEC's tooltip, "tpid=2:tcid=1:tcname=potrf:tid=0"; before
/// 2020 its key was tname.
std::optional<std::string_view> codelet_of(std::string_view tooltip) {
  while (!tooltip.empty()) {
    const std::string_view pair = tooltip.substr(0, tooltip.find(':'));
    for (const std::string_view key : {"tcname=", "tname="}) {
      if (pair.starts_with(key)) return pair.substr(key.size());
    }
    tooltip.remove_prefix(std::min(tooltip.size(), pair.size() + 1));
  }
  return std::nullopt;
}

class DotParser {
 public:
  DotParser(std::istream& in, const std::string& file) : tokens_(in, file), file_(file) {
    tokens_.next(token_);
  }

  DotGraph parse();

 private:
  using Nodes = std::vector<Index>;

  void advance() { tokens_.next(token_); }
  [[nodiscard]] bool is(std::string_view mark) const { return token_.is(mark); }
  /// Keywords are words without quotes, in any case.
  [[nodiscard]] bool is_keyword(std::string_view word) const {
    return token_.kind == DotToken::Kind::word && in_lower_case(token_.text) == word;
  }
  [[noreturn]] void refuse(std::string_view why) const { tokens_.refuse(token_.line, why); }
  [[noreturn]] void refuse_token(std::string_view right) const;

  void header();
  void statements(Scope scope, Nodes& named, std::size_t depth);
  void statement(Scope& scope, Nodes& named, std::size_t depth);
  bool defaults(Scope& scope);
  Nodes edge_end(const Scope& scope, Nodes& named, std::size_t depth);
  Nodes subgraph(const Scope& scope, Nodes& named, std::size_t depth, bool is_head);
  void edges(Nodes from, const Scope& scope, Nodes& named, std::size_t depth);
  void connect(const Nodes& from, const Nodes& to, const Scope& scope,
               std::vector<std::size_t>& drawn);
  void unite_tag(std::size_t first);

  std::string name();
  std::string value();
  void set_graph(const std::string& written, const std::string& value);
  void skip_port();
  Index node(const std::string& text, std::size_t line, const Scope& scope);
  template <typename Set>
  void attributes(Set&& set);
  void set(DotNode& node, const std::string& written, const std::string& value, std::size_t line);
  void set(DotEdge& edge, const std::string& written, const std::string& value, std::size_t line);
  [[nodiscard]] double number(const std::string& key, const std::string& value, Range range,
                              std::size_t line) const;

  DotTokens tokens_;
  std::string file_;
  DotToken token_;
  DotSubgraphs subgraphs_;
  std::size_t within_ = DotSubgraphs::whole_graph;  // the subgraph whose braces are open
  DotGraph graph_;
  std::unordered_map<std::string, Index> node_index_;
  std::unordered_map<std::uint64_t, std::size_t> edge_index_;  // of a strict graph: (from, to)
  std::size_t arrows_ = 0;                                     // written so far
  bool strict_ = false;
};

void DotParser::refuse_token(std::string_view right) const {
  if (token_.kind == DotToken::Kind::end) refuse(fmt::format("the file ends here; {}", right));
  refuse(fmt::format("'{}' is wrong here; {}", shown(token_.text), right));
}

DotGraph DotParser::parse() {
  header();
  const std::size_t begin = token_.line;
  if (!is("{")) refuse_token(right_graph);
  advance();
  Nodes named;
  statements({}, named, 1);
  if (!is("}")) {
    refuse(fmt::format("the file ends inside the graph of line {}; close it with }}", begin));
  }
  advance();
  if (token_.kind != DotToken::Kind::end) refuse_token("the graph has ended; write one a file");
  subgraphs_.draw_clusters(graph_, most_of_braces, file_);
  return std::move(graph_);
}

void DotParser::header() {
  strict_ = is_keyword("strict");
  if (strict_) advance();
  if (is_keyword("graph")) {
    refuse(
        "an undirected graph does not say which task waits; write digraph, and a -> b where b waits for a");
  }
  if (!is_keyword("digraph")) refuse_token(right_graph);
  advance();
  if (token_.is_name()) graph_.name = name();
}

/// Until the brace that closes them. `named` is which nodes they name.
void DotParser::statements(Scope scope, Nodes& named, std::size_t depth) {
  while (!is("}") && token_.kind != DotToken::Kind::end) {
    if (is(";") || is(",")) {
      advance();
    } else {
      statement(scope, named, depth);
    }
  }
}

void DotParser::statement(Scope& scope, Nodes& named, std::size_t depth) {
  if (defaults(scope)) return;
  if (is("{") || is_keyword("subgraph")) {
    edges(subgraph(scope, named, depth, false), scope, named, depth);
    return;
  }
  if (!token_.is_name()) refuse_token("write a task, a -> b or }");
  const std::size_t line = token_.line;
  const std::string first = name();
  if (is("=")) {  // an attribute of the graph
    advance();
    set_graph(first, value());
    return;
  }
  const Index task = node(first, line, scope);
  if (depth > 1) named.push_back(task);
  skip_port();
  if (is("->") || is("--")) {
    edges({task}, scope, named, depth);
    return;
  }
  attributes([&](const std::string& key, const std::string& value, std::size_t where) {
    set(graph_.nodes[task], key, value, where);
  });
}

/// False where the statement is another one.
bool DotParser::defaults(Scope& scope) {
  const bool of_nodes = is_keyword("node");
  const bool of_edges = is_keyword("edge");
  if (!of_nodes && !of_edges && !is_keyword("graph")) return false;
  advance();
  if (!is("[")) refuse_token("write [name=value] after node, edge or graph");
  attributes([&](const std::string& key, const std::string& value, std::size_t line) {
    if (of_nodes) set(scope.node, key, value, line);
    if (of_edges) set(scope.edge, key, value, line);
    if (!of_nodes && !of_edges) set_graph(key, value);
  });
  return true;
}

/// Nothing is read of the graph itself: edges with ltail or lhead join clusters without `compound`
/// too.
void DotParser::set_graph(const std::string& written, const std::string& value) {
  if (value.empty() || in_lower_case(written) == "compound") return;
  DotIgnored::add(graph_.ignored.of_graph, written);
}

/// The nodes inside; where an edge begins or ends at it, all that a named one has.
DotParser::Nodes DotParser::subgraph(const Scope& scope, Nodes& named, std::size_t depth,
                                     bool is_head) {
  std::string called;
  if (is_keyword("subgraph")) {
    advance();
    if (token_.is_name()) called = name();
  }
  const std::size_t begin = token_.line;
  if (!is("{")) refuse_token("write subgraph { ... }");
  if (depth == deepest_braces)
    refuse(fmt::format("braces are more than {} deep; write fewer", deepest_braces));
  advance();
  Nodes inside;
  const std::size_t opened = subgraphs_.open(within_, called);
  const std::size_t outer = std::exchange(within_, opened);
  statements(scope, inside, depth + 1);
  within_ = outer;
  if (!is("}")) {
    refuse(fmt::format("the file ends inside the braces of line {}; close them with }}", begin));
  }
  advance();
  std::sort(inside.begin(), inside.end());
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  if (depth > 1) named.insert(named.end(), inside.begin(), inside.end());
  subgraphs_.add(opened, inside);
  const bool ends_edge = is_head || is("->") || is("--");
  return ends_edge && subgraphs_.is_named(opened) ? subgraphs_.nodes(opened) : inside;
}

DotParser::Nodes DotParser::edge_end(const Scope& scope, Nodes& named, std::size_t depth) {
  if (is("{") || is_keyword("subgraph")) return subgraph(scope, named, depth, true);
  if (!token_.is_name()) refuse_token("write a task or { ... } after ->");
  const std::size_t line = token_.line;
  const Index task = node(name(), line, scope);
  if (depth > 1) named.push_back(task);
  skip_port();
  return {task};
}

/// a -> b -> {c d} [...], from its first arrow on.
void DotParser::edges(Nodes from, const Scope& scope, Nodes& named, std::size_t depth) {
  if (!is("->") && !is("--")) return;
  const std::size_t first = graph_.edges.size();
  std::vector<std::size_t> drawn;  // those of subgraphs on the way are statements of their own
  while (is("->") || is("--")) {
    if (is("--")) refuse("'--' does not say which task waits; write a -> b where b waits for a");
    ++arrows_;
    advance();
    Nodes to = edge_end(scope, named, depth);
    connect(from, to, scope, drawn);
    from = std::move(to);
  }
  DotEdge said;
  attributes([&](const std::string& key, const std::string& value, std::size_t line) {
    set(said, key, value, line);
  });
  for (const std::size_t edge : drawn) {
    DotEdge& one = graph_.edges[edge];
    if (said.bytes) one.bytes = said.bytes;
    if (said.weight) one.weight = said.weight;
    if (said.data) one.data = said.data;
    if (said.tail) one.tail = said.tail;
    if (said.head) one.head = said.head;
  }
  unite_tag(first);
}

void DotParser::connect(const Nodes& from, const Nodes& to, const Scope& scope,
                        std::vector<std::size_t>& drawn) {
  if (graph_.edges.size() + from.size() * to.size() > most_of_braces + arrows_) {
    refuse(fmt::format("braces draw more than {} edges; write fewer", most_of_braces));
  }
  for (const Index a : from) {
    for (const Index b : to) {
      const auto edge = graph_.edges.size();
      const auto pair = std::uint64_t{a} << 32U | b;
      const auto [entry, is_new] =
          strict_ ? edge_index_.emplace(pair, edge) : std::pair(edge_index_.end(), true);
      drawn.push_back(is_new ? edge : entry->second);
      if (!is_new) continue;
      graph_.edges.push_back(scope.edge);
      graph_.edges.back().from = a;
      graph_.edges.back().to = b;
      graph_.edges.back().line = static_cast<std::uint32_t>(token_.line);
    }
  }
}

/// StarPU draws a task's tag before and after it, "tag_1" -> "task_2" -> "tag_1": one task.
void DotParser::unite_tag(std::size_t first) {
  if (strict_ || graph_.edges.size() != first + 2) return;
  const DotEdge& in = graph_.edges[first];
  const DotEdge& out = graph_.edges[first + 1];
  if (in.from != out.to || in.to != out.from || !graph_.names[in.from].starts_with("tag_") ||
      !graph_.names[in.to].starts_with("task_")) {
    return;
  }
  graph_.tags.emplace_back(in.from, in.to);
  graph_.edges.resize(first);
}

/// A name, quoted or not; "a" + "b" is "ab".
std::string DotParser::name() {
  if (!token_.is_name()) refuse_token("write a name or a number");
  std::string text = std::move(token_.text);
  bool may_go_on = token_.kind == DotToken::Kind::quoted;
  advance();
  while (may_go_on && is("+")) {
    advance();
    if (token_.kind != DotToken::Kind::quoted) refuse_token(R"(write "a" + "b")");
    text += token_.text;
    advance();
  }
  return text;
}

/// The value of an attribute: a name, or the text that HTML shows.
std::string DotParser::value() {
  if (token_.kind != DotToken::Kind::html) return name();
  std::string text = text_of_html(token_.text);
  advance();
  return text;
}

/// Where an edge is drawn to: a:north, a:f0:n.
void DotParser::skip_port() {
  while (is(":")) {
    advance();
    static_cast<void>(name());
  }
}

Index DotParser::node(const std::string& text, std::size_t line, const Scope& scope) {
  const std::string name = plain(text);
  if (name.size() > longest_name) {
    tokens_.refuse(line, fmt::format("a task's name of {} characters; write at most {}",
                                     name.size(), longest_name));
  }
  const auto next = static_cast<Index>(graph_.nodes.size());
  const auto [entry, is_new] = node_index_.emplace(name, next);
  if (is_new) {
    graph_.nodes.push_back(scope.node);
    graph_.names.push_back(as_utf8(name));
  }
  return entry->second;
}

/// [name=value, ...], none or several. Calls set(name, value, line).
template <typename Set>
void DotParser::attributes(Set&& set) {
  while (is("[")) {
    advance();
    while (!is("]")) {
      if (is(",") || is(";")) {
        advance();
        continue;
      }
      if (!token_.is_name()) refuse_token("write name=value, or ] after the last one");
      const std::size_t line = token_.line;
      const std::string key = name();
      if (!is("=")) refuse_token(fmt::format("write {}=value", shown(key)));
      advance();
      set(key, value(), line);
    }
    advance();
  }
}

/// Nothing is said by an empty text, as in Graphviz. Names count in any case.
void DotParser::set(DotNode& node, const std::string& written, const std::string& value,
                    std::size_t line) {
  if (value.empty()) return;
  const std::string key = in_lower_case(written);
  if (key == "weight" || key == "cost") {
    node.weight = number(written, value, {0, most_flops}, line);
  } else if (key == "flops" || key == "size") {
    node.flops = number(written, value, {0, most_flops}, line);
  } else if (key == "priority") {
    constexpr double any = std::numeric_limits<double>::max();
    node.priority = number(written, value, {-any, any}, line);
  } else if (key == "output_bytes") {
    node.output_bytes = whole(number(written, value, {0, double{most_bytes}}, line));
  } else if (key == "kind") {
    node.kind = graph_.words.number(plain(value));
  } else if (key == "label") {
    node.label.reset();
    if (value != "\\N") node.label = graph_.words.number(one_line(value));
  } else if (key == "tooltip") {
    if (const auto name = codelet_of(value)) node.codelet = graph_.words.number(*name);
  } else if (key == "shape") {
    node.is_circle = value == "circle";
  } else {
    DotIgnored::add(graph_.ignored.of_tasks, written);
  }
}

void DotParser::set(DotEdge& edge, const std::string& written, const std::string& value,
                    std::size_t line) {
  if (value.empty()) return;
  const std::string key = in_lower_case(written);
  if (key == "ltail") {
    edge.tail = graph_.words.number(plain(value));
  } else if (key == "lhead") {
    edge.head = graph_.words.number(plain(value));
  } else if (key == "weight") {  // how straight Graphviz draws it, unless nodes have weights too
    const auto weight = signed_number(value);
    edge.weight.reset();
    if (weight && *weight <= double{most_bytes}) {
      edge.weight = whole(std::max(0.0, *weight));
    } else {
      DotIgnored::add(graph_.ignored.of_edges, written);
    }
  } else if (key == "bytes" || key == "size" || key == "cost") {
    // SimGrid's files have 1e-12 and -1 where nothing passes.
    constexpr double any = std::numeric_limits<double>::max();
    edge.bytes = whole(std::max(0.0, number(written, value, {-any, double{most_bytes}}, line)));
  } else if (key == "data") {
    if (value.size() > longest_name) {
      tokens_.refuse(line, fmt::format("a data item's name of {} characters; write at most {}",
                                       value.size(), longest_name));
    }
    edge.data = graph_.words.number(plain(value));
  } else {
    DotIgnored::add(graph_.ignored.of_edges, written);
  }
}

double DotParser::number(const std::string& key, const std::string& value, Range range,
                         std::size_t line) const {
  const auto parsed = signed_number(value);
  if (parsed && *parsed >= range.lowest && *parsed <= range.highest) return *parsed;
  const std::string right = range.lowest == 0 ? "a number from 0 to "
                            : range.highest < std::numeric_limits<double>::max() ? "a number up to "
                                                                                 : "a number";
  tokens_.refuse(line, fmt::format("{} is '{}'; write {}{}", key, shown(value), right,
                                   right.ends_with(' ') ? fmt::format("{}", range.highest) : ""));
}

}  // namespace

std::uint32_t DotWords::number(std::string_view text) {
  const auto next = static_cast<std::uint32_t>(words_.size());
  const auto [entry, is_new] = numbers_.emplace(text, next);
  if (is_new) words_.push_back(&entry->first);
  return entry->second;
}

DotGraph parse_dot(std::istream& in, const std::string& file) {
  return DotParser(in, file).parse();
}

}  // namespace damocles
