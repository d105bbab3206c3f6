#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "models/graph_files/graph_files.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

std::string dot_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// That task `to` reads `data` as task `from` wrote it.
struct Handed {
  Index data;
  Index from;
  Index to;

  [[nodiscard]] auto key() const { return std::tuple(data, from, to); }
};

/// Each read of what another task wrote, by data.
std::vector<Handed> handed_on(const TaskGraph& graph) {
  constexpr Index nobody = ~Index{0};
  std::vector<Index> writer(graph.data(), nobody);
  std::vector<Handed> handed;
  if (!graph.writes()) return handed;
  for (const Index task : graph.dependencies().order(graph.tasks())) {
    graph.for_each_access(task, [&](Index data, Access access) {
      if (reads(access) && writer[data] != nobody) handed.push_back({data, writer[data], task});
      if (writes(access)) writer[data] = task;
    });
  }
  std::sort(handed.begin(), handed.end(),
            [](const Handed& a, const Handed& b) { return a.key() < b.key(); });
  return handed;
}

/// Names of nodes differ: those of the tasks where they do, else T0, T1, ...
std::vector<std::string> node_names(const TaskGraph& graph) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    names.push_back(graph.task_name(static_cast<Index>(t)));
    seen.insert(names.back());
  }
  if (seen.size() == names.size()) return names;
  for (std::size_t t = 0; t < names.size(); ++t) names[t] = fmt::format("T{}", t);
  return names;
}

void write_task(const TaskGraph& graph, Index task, std::ostream& out) {
  const auto& parts = graph.parts();
  fmt::print(out, " [");
  if (!graph.kind_name(task).empty()) {
    fmt::print(out, "kind={}, ", dot_quoted(graph.kind_name(task)));
  }
  fmt::print(out, "flops=\"{}\"", graph.flops(task));
  if (!parts.priorities.empty()) fmt::print(out, ", priority=\"{}\"", graph.priority(task));
  if (!parts.output_bytes.empty()) {
    fmt::print(out, ", output_bytes={}", graph.output_bytes(task));
  }
  fmt::print(out, "];\n");
}

}  // namespace

void write_dot(const TaskGraph& graph, std::ostream& out) {
  const auto names = node_names(graph);
  const auto edge = [&](Index from, Index to) {
    fmt::print(out, "  {} -> {}", dot_quoted(names[from]), dot_quoted(names[to]));
  };
  fmt::print(out, "digraph {{\n");
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    fmt::print(out, "  {}", dot_quoted(names[t]));
    write_task(graph, static_cast<Index>(t), out);
  }
  const auto handed = handed_on(graph);
  // Two data items of one task may share a name.
  std::map<std::pair<Index, std::string>, Index> named;
  std::set<std::pair<Index, Index>> drawn;
  for (const auto& [data, from, to] : handed) {
    edge(from, to);
    const auto name = graph.data_name(data);
    const bool is_own = named.emplace(std::pair(from, name), data).first->second == data;
    fmt::print(out, " [bytes={}, data={}];\n", graph.bytes(data),
               dot_quoted(is_own ? name : fmt::format("D{}", data)));
    drawn.emplace(from, to);
  }
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto from = static_cast<Index>(t);
    for (const Index to : graph.dependencies().after(from)) {
      if (drawn.contains({from, to})) continue;
      edge(from, to);
      fmt::print(out, ";\n");
    }
  }
  fmt::print(out, "}}\n");
}

}  // namespace damocles
