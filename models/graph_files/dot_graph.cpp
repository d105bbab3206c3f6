#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "models/graph_files/dot_text.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/graph_files/json_text.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Makes tasks of nodes, and dependencies and data of edges.
class DotTasks {
 public:
  DotTasks(DotGraph graph, std::string file, const GraphDefaults& defaults)
      : graph_(std::move(graph)), file_(std::move(file)), defaults_(defaults) {}

  TaskGraph graph();

 private:
  using Entry = std::pair<Index, Index>;  // (task, data)

  void unite_tags();
  std::vector<Index> keep_nodes(const std::vector<bool>& is_task);
  void take_data();
  [[nodiscard]] bool is_data(std::size_t node) const;
  void add_tasks();
  void add_kinds();
  void add_edges();
  void pass(const DotEdge& edge);
  /// The size that an edge says: `bytes`, or its weight where nodes have weights too. Elsewhere a
  /// weight is how Graphviz draws the edge.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(const DotEdge& edge) const {
    return edge.bytes || !weighted_ ? edge.bytes : edge.weight;
  }
  [[nodiscard]] std::string data_name(const DotEdge& edge) const;
  void set_accesses();
  void note_ignored();

  DotGraph graph_;
  std::string file_;
  GraphDefaults defaults_;
  TaskGraph::Parts parts_;
  std::map<Entry, Index> named_;            // (who writes it, its name): a data item
  std::vector<const DotEdge*> first_edge_;  // of each data item, the first that says its size
  std::vector<Entry> reads_;
  std::vector<Entry> writes_;
  bool weighted_ = false;   // nodes have weights
  bool of_parsec_ = false;  // tooltips name classes of tasks
};

TaskGraph DotTasks::graph() {
  unite_tags();
  take_data();
  add_tasks();
  add_kinds();
  add_edges();
  set_accesses();
  note_ignored();
  for (const DotEdge* const edge : first_edge_) {
    parts_.lifetimes.push_back(edge == nullptr ? Lifetime::kept : Lifetime::temporary);
  }
  parts_.independent = defaults_.independent;
  return finished(std::move(parts_), file_);
}

/// Takes nodes out that are no tasks; returns the number that each of the others then has.
std::vector<Index> DotTasks::keep_nodes(const std::vector<bool>& is_task) {
  std::vector<Index> number(is_task.size());
  Index kept = 0;
  for (std::size_t n = 0; n < is_task.size(); ++n) {
    number[n] = kept;
    if (!is_task[n]) continue;
    graph_.nodes[kept] = graph_.nodes[n];
    if (kept != n) graph_.names[kept] = std::move(graph_.names[n]);
    ++kept;
  }
  graph_.nodes.resize(kept);
  graph_.names.resize(kept);
  return number;
}

/// A task's tag is the task: edges of the one are edges of the other, and the tag is gone.
void DotTasks::unite_tags() {
  if (graph_.tags.empty()) return;
  std::vector<bool> is_task(graph_.nodes.size(), true);
  for (const auto& [tag, task] : graph_.tags) is_task[tag] = false;
  const std::vector<Index> number = keep_nodes(is_task);
  std::vector<Index> task_of = number;
  for (const auto& [tag, task] : graph_.tags) task_of[tag] = number[task];
  for (DotEdge& edge : graph_.edges) {
    edge.from = task_of[edge.from];
    edge.to = task_of[edge.to];
  }
}

/// PaRSEC draws a block of a matrix as a circle, dc0x5581_17 [label="A(1, 2)",shape="circle"], and
/// tasks as polygons whose tooltips name their class.
bool DotTasks::is_data(std::size_t node) const {
  const DotNode& drawn = graph_.nodes[node];
  const std::string& name = graph_.names[node];
  return drawn.is_circle && !drawn.codelet &&
         (of_parsec_ || ((name.starts_with("dc0x") || name.starts_with("dta0x")) &&
                         name.find('_') != std::string::npos));
}

/// Makes data items of PaRSEC's circles: an edge from one is a read, an edge to one a write.
void DotTasks::take_data() {
  constexpr Index no_data = ~Index{0};
  of_parsec_ = std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                           [](const DotNode& node) { return node.codelet.has_value(); });
  std::vector<Index> data_of(graph_.nodes.size(), no_data);
  std::vector<bool> is_task(graph_.nodes.size(), true);
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!is_data(n)) continue;
    is_task[n] = false;
    data_of[n] = static_cast<Index>(parts_.bytes.size());
    parts_.bytes.push_back(defaults_.bytes());
    const auto& label = graph_.nodes[n].label;
    parts_.data_names.push_back(as_utf8(label ? graph_.words[*label] : graph_.names[n]));
    first_edge_.push_back(nullptr);
  }
  if (parts_.bytes.empty()) return;
  const std::vector<Index> task_of = keep_nodes(is_task);
  std::vector<DotEdge> between_tasks;
  for (DotEdge edge : graph_.edges) {
    const Index from = data_of[edge.from];
    const Index to = data_of[edge.to];
    edge.from = task_of[edge.from];
    edge.to = task_of[edge.to];
    if (from != no_data && to != no_data) {
      refuse_file(file_, edge.line,
                  "an edge between two of PaRSEC's data, which are circles; write one of a task");
    }
    if (from != no_data) reads_.emplace_back(edge.to, from);
    if (to != no_data) writes_.emplace_back(edge.from, to);
    if (from == no_data && to == no_data) between_tasks.push_back(edge);
  }
  graph_.edges = std::move(between_tasks);
}

void DotTasks::add_tasks() {
  const auto& nodes = graph_.nodes;
  const auto any = [&](auto member) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const DotNode& node) { return (node.*member).has_value(); });
  };
  weighted_ = any(&DotNode::weight);
  // As in SimGrid, where some tasks have a cost, those without compute nothing.
  const bool costs = any(&DotNode::flops) || weighted_;
  const bool idle = costs && !defaults_.task_flops;
  const bool priorities = any(&DotNode::priority);
  const bool outputs = any(&DotNode::output_bytes);
  for (const DotNode& node : nodes) {
    const auto flops = node.flops ? node.flops : node.weight;
    if (!flops && idle && defaults_.assumed != nullptr) ++defaults_.assumed->idle_tasks;
    parts_.flops.push_back(flops ? *flops : idle ? 0 : defaults_.flops());
    if (priorities) parts_.priorities.push_back(node.priority.value_or(0));
    if (outputs) parts_.output_bytes.push_back(node.output_bytes.value_or(0));
  }
  parts_.task_names = std::move(graph_.names);
}

/// A task's kind, PaRSEC's name of its codelet, or its label, which StarPU writes.
void DotTasks::add_kinds() {
  std::vector<std::string_view> kinds;
  for (const DotNode& node : graph_.nodes) {
    const auto& word = node.kind ? node.kind : node.codelet ? node.codelet : node.label;
    kinds.push_back(word ? std::string_view(graph_.words[*word]) : "");
  }
  set_kinds(parts_, kinds);
}

void DotTasks::add_edges() {
  for (const DotEdge& edge : graph_.edges) {
    parts_.dependencies.emplace_back(edge.to, edge.from);
    if (edge.orders) continue;
    if (edge.data || bytes_of(edge) || defaults_.data_bytes) pass(edge);
  }
  for (const DotEdge* const first : first_edge_) {
    if (first != nullptr && !bytes_of(*first)) static_cast<void>(defaults_.bytes());
  }
}

/// The data item that an edge hands on: its tail writes it, its head reads it, and it is temporary.
void DotTasks::pass(const DotEdge& edge) {
  const auto said = bytes_of(edge);
  const std::uint64_t bytes = said.value_or(defaults_.bytes(0));
  if (bytes == 0) return;
  auto data = static_cast<Index>(parts_.bytes.size());
  bool is_new = true;
  if (edge.data) {
    const auto [entry, first] = named_.emplace(Entry(edge.from, *edge.data), data);
    data = entry->second;
    is_new = first;
  }
  if (is_new) {
    parts_.bytes.push_back(bytes);
    parts_.data_names.push_back(data_name(edge));
    first_edge_.push_back(&edge);
    writes_.emplace_back(edge.from, data);
  } else if (said && !bytes_of(*first_edge_[data])) {
    parts_.bytes[data] = bytes;
    first_edge_[data] = &edge;
  } else if (said && bytes != parts_.bytes[data]) {
    refuse_file(
        file_, edge.line,
        fmt::format("data '{}' of task '{}' has {} bytes, but {} on line {}; write one size",
                    shown(parts_.data_names[data]), shown(parts_.task_names[edge.from]), bytes,
                    parts_.bytes[data], first_edge_[data]->line));
  }
  reads_.emplace_back(edge.to, data);
}

std::string DotTasks::data_name(const DotEdge& edge) const {
  if (edge.data) return as_utf8(graph_.words[*edge.data]);
  return fmt::format("{}->{}", parts_.task_names[edge.from], parts_.task_names[edge.to]);
}

/// Of each task what it reads, then what it writes, in the file's order.
void DotTasks::set_accesses() {
  const std::size_t tasks = parts_.flops.size();
  std::vector<std::uint64_t> written(tasks, 0);
  for (const auto& [task, data] : writes_) ++written[task];
  reads_.insert(reads_.end(), writes_.begin(), writes_.end());
  set_inputs(parts_, tasks, reads_);
  if (writes_.empty()) return;
  parts_.accesses.assign(parts_.inputs.size(), Access::read);
  for (std::size_t t = 0; t < tasks; ++t) {
    const auto end = static_cast<std::ptrdiff_t>(parts_.input_begin[t + 1]);
    const auto created = static_cast<std::ptrdiff_t>(written[t]);
    std::fill(parts_.accesses.begin() + end - created, parts_.accesses.begin() + end,
              Access::write);
  }
}

/// "a, b and 3 more of tasks", or "" where there are none.
std::string ignored_in_words(const DotIgnored::Names& names, std::string_view what) {
  constexpr std::size_t most_shown = 12;
  if (names.empty()) return "";
  std::vector<std::string> words;
  for (const std::string& name : names) {
    if (words.size() < most_shown) words.push_back(shown(name));
  }
  const std::size_t more = names.size() - words.size();
  return fmt::format("{}{} of {}", fmt::join(words, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "", what);
}

/// Whatever the file says and nothing here means anything by.
void DotTasks::note_ignored() {
  DotIgnored& ignored = graph_.ignored;
  const bool drawn = std::any_of(graph_.edges.begin(), graph_.edges.end(),
                                 [](const DotEdge& edge) { return edge.weight.has_value(); });
  if (drawn && !weighted_) ignored.of_edges.insert("weight");
  std::vector<std::string> texts{ignored_in_words(ignored.of_tasks, "tasks"),
                                 ignored_in_words(ignored.of_edges, "edges"),
                                 ignored_in_words(ignored.of_graph, "the graph")};
  std::erase(texts, "");
  if (!texts.empty()) {
    defaults_.note(fmt::format("attributes that are not read: {}", fmt::join(texts, "; ")));
  }
}

}  // namespace

TaskGraph read_dot(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  return DotTasks(parse_dot(in, name), name, defaults).graph();
}

namespace {

const Register dot_format{GraphFormat{.name = ".dot",
                                      .also = {".gv"},
                                      .place = 5,
                                      .title = "Graphviz",
                                      .read = read_dot,
                                      .write = write_dot}};

}  // namespace
}  // namespace damocles
