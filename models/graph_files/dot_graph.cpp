#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  void add_tasks();
  void add_kinds();
  void add_edges();
  void pass(const DotEdge& edge);
  [[nodiscard]] std::string data_name(const DotEdge& edge) const;
  void set_accesses();

  DotGraph graph_;
  std::string file_;
  GraphDefaults defaults_;
  TaskGraph::Parts parts_;
  std::map<Entry, Index> named_;            // (who writes it, its name): a data
  std::vector<const DotEdge*> first_edge_;  // of each data, the first that says its size
  std::vector<Entry> reads_;
  std::vector<Entry> writes_;
};

TaskGraph DotTasks::graph() {
  unite_tags();
  add_tasks();
  add_kinds();
  add_edges();
  set_accesses();
  parts_.independent = defaults_.independent;
  return finished(std::move(parts_), file_);
}

/// A task's tag is the task: edges of the one are edges of the other, and the tag is gone.
void DotTasks::unite_tags() {
  if (graph_.tags.empty()) return;
  const std::size_t nodes = graph_.nodes.size();
  std::vector<Index> task_of(nodes);
  for (std::size_t n = 0; n < nodes; ++n) task_of[n] = static_cast<Index>(n);
  for (const auto& [tag, task] : graph_.tags) task_of[tag] = task;
  std::vector<Index> number(nodes);
  Index kept = 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    if (task_of[n] != n) continue;
    number[n] = kept;
    graph_.nodes[kept] = graph_.nodes[n];
    if (kept != n) graph_.names[kept] = std::move(graph_.names[n]);
    ++kept;
  }
  graph_.nodes.resize(kept);
  graph_.names.resize(kept);
  for (DotEdge& edge : graph_.edges) {
    edge.from = number[task_of[edge.from]];
    edge.to = number[task_of[edge.to]];
  }
}

void DotTasks::add_tasks() {
  const auto& nodes = graph_.nodes;
  const auto any = [&](auto member) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const DotNode& node) { return (node.*member).has_value(); });
  };
  // As in SimGrid, where some tasks have a cost, those without compute nothing.
  const double other = any(&DotNode::flops) && !defaults_.task_flops ? 0 : defaults_.flops();
  const bool priorities = any(&DotNode::priority);
  const bool outputs = any(&DotNode::output_bytes);
  for (const DotNode& node : nodes) {
    parts_.flops.push_back(node.flops.value_or(other));
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
    if (edge.data || edge.bytes || defaults_.data_bytes) pass(edge);
  }
}

/// The data that an edge hands on, which its tail writes and its head reads.
void DotTasks::pass(const DotEdge& edge) {
  const std::uint64_t bytes = edge.bytes.value_or(defaults_.bytes());
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
  } else if (edge.bytes && !first_edge_[data]->bytes) {
    parts_.bytes[data] = bytes;
    first_edge_[data] = &edge;
  } else if (edge.bytes && bytes != parts_.bytes[data]) {
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

}  // namespace

TaskGraph read_dot(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  return DotTasks(parse_dot(in, name), name, defaults).graph();
}

namespace {

const Register dot_format{GraphFormat{
    .name = ".dot", .place = 5, .title = "Graphviz", .read = read_dot, .write = write_dot}};

}  // namespace
}  // namespace damocles
