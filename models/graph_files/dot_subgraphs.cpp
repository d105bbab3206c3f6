// Which nodes a named subgraph of a DOT file has, and what an edge between clusters means.

#include "models/graph_files/dot_subgraphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "models/compressed_rows.hpp"
#include "models/graph_files/graph_text.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

bool holds(const DotSubgraphs::Nodes& nodes, Index node) {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

}  // namespace

struct DotSubgraphs::Rows {
  CompressedRows<std::uint64_t, Index> rows;

  template <typename Ends>
  Rows(const DotGraph& graph, Ends&& ends)
      : rows(compressed_rows<std::uint64_t, Index>(graph.nodes.size(), [&](auto&& add) {
          for (const DotEdge& edge : graph.edges) {
            const auto [node, neighbour] = ends(edge);
            add(node, neighbour);
          }
        })) {}

  [[nodiscard]] std::span<const Index> of(Index node) const {
    const auto& [begin, entries] = rows;
    return std::span(entries).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

std::size_t DotSubgraphs::open(std::size_t within, const std::string& name) {
  if (name.empty()) return ++opened_;
  const auto [entry, is_new] = known_.emplace(std::pair(within, name), opened_ + 1);
  if (is_new) {
    named_[++opened_];
    if (name.starts_with("cluster")) clusters_.emplace(name, opened_);
  }
  return entry->second;
}

void DotSubgraphs::add(std::size_t subgraph, const Nodes& nodes) {
  const auto named = named_.find(subgraph);
  if (named == named_.end()) return;
  named->second.insert(named->second.end(), nodes.begin(), nodes.end());
}

const DotSubgraphs::Nodes& DotSubgraphs::nodes(std::size_t subgraph) {
  Nodes& all = named_.at(subgraph);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const DotSubgraphs::Nodes* DotSubgraphs::cluster(const std::string& name) const {
  const auto entry = clusters_.find(name);
  return entry == clusters_.end() ? nullptr : &named_.at(entry->second);
}

/// Those of these nodes that have no neighbour among them.
DotSubgraphs::Nodes DotSubgraphs::outermost(const Nodes& nodes, const Rows& neighbours,
                                            std::vector<std::size_t>& mark, std::size_t stamp) {
  for (const Index node : nodes) mark[node] = stamp;
  Nodes result;
  for (const Index node : nodes) {
    const auto others = neighbours.of(node);
    const bool inside = std::any_of(others.begin(), others.end(), [&](Index other) {
      return other != node && mark[other] == stamp;
    });
    if (!inside) result.push_back(node);
  }
  return result;
}

struct DotSubgraphs::Drawing {
  Drawing(DotGraph& of, std::size_t most_edges, const std::string& of_file)
      : graph(of),
        after(of, [](const DotEdge& edge) { return std::pair(edge.from, edge.to); }),
        before(of, [](const DotEdge& edge) { return std::pair(edge.to, edge.from); }),
        mark(of.nodes.size(), 0),
        drawn(of.edges.size()),
        most(most_edges),
        file(of_file) {}

  /// Adds an edge without data from each tail to each head.
  void order(const Nodes& tails, const Nodes& heads, std::uint32_t line) {
    if (graph.edges.size() - drawn + tails.size() * heads.size() > most) {
      refuse_file(file, line,
                  fmt::format("clusters are joined by more than {} edges; write fewer", most));
    }
    for (const Index tail : tails) {
      for (const Index head : heads) {
        graph.edges.push_back({.from = tail, .to = head, .line = line, .orders = true});
      }
    }
  }

  DotGraph& graph;
  Rows after;
  Rows before;
  std::vector<std::size_t> mark;
  std::map<std::pair<std::uint32_t, End>, Nodes> known{};  // the last or first tasks of clusters
  std::size_t drawn;                                       // edges of the file
  std::size_t most;                                        // edges more
  const std::string& file;
};

const DotSubgraphs::Nodes& DotSubgraphs::ends_of(Drawing& drawing, std::uint32_t name,
                                                 const Nodes& all, End end) {
  const auto [entry, is_new] = drawing.known.try_emplace(std::pair(name, end));
  if (is_new) {
    entry->second = outermost(all, end == End::tail ? drawing.after : drawing.before, drawing.mark,
                              drawing.known.size());
  }
  return entry->second;
}

/// The tasks at which an edge really begins or ends.
DotSubgraphs::Nodes DotSubgraphs::ends(Drawing& drawing, const DotEdge& edge, End end) const {
  const bool is_tail = end == End::tail;
  const Index node = is_tail ? edge.from : edge.to;
  const Index other = is_tail ? edge.to : edge.from;
  const auto name = is_tail ? edge.tail : edge.head;
  const Nodes* const all = name ? cluster(drawing.graph.words[*name]) : nullptr;
  if (all == nullptr || holds(*all, other)) {
    if (name) DotIgnored::add(drawing.graph.ignored.of_edges, is_tail ? "ltail" : "lhead");
    return {node};
  }
  const Nodes& outer = ends_of(drawing, *name, *all, end);
  return outer.empty() ? Nodes{node} : outer;
}

void DotSubgraphs::join(Drawing& drawing, const DotEdge& edge) const {
  drawing.order(ends(drawing, edge, End::tail), ends(drawing, edge, End::head), edge.line);
}

/// The tasks that Taskflow draws as spawned by another one wait for what that one waits for.
void DotSubgraphs::spawn(Drawing& drawing) const {
  constexpr std::string_view prefix = "cluster_";
  std::unordered_map<std::string_view, Index> parents;
  for (Index node = 0; node < drawing.graph.names.size(); ++node) {
    parents.emplace(drawing.graph.names[node], node);
  }
  for (const auto& [name, subgraph] : clusters_) {
    if (!name.starts_with(prefix)) continue;
    const auto parent = parents.find(std::string_view(name).substr(prefix.size()));
    if (parent == parents.end()) continue;
    Nodes spawned = named_.at(subgraph);
    std::erase(spawned, parent->second);  // the edge that joins it is drawn inside
    Nodes earlier;
    bool joins = false;
    for (const Index before : drawing.before.of(parent->second)) {
      const bool inside = holds(spawned, before);
      joins = joins || inside;
      if (!inside) earlier.push_back(before);
    }
    if (!joins) continue;
    const std::uint32_t number = drawing.graph.words.number(name);
    drawing.order(earlier, ends_of(drawing, number, spawned, End::head), 0);
  }
}

void DotSubgraphs::draw_clusters(DotGraph& graph, std::size_t most, const std::string& file) {
  const auto joins = [](const DotEdge& edge) { return edge.tail || edge.head; };
  const bool spawns = graph.name == "Taskflow" && !clusters_.empty();
  if (!spawns && std::none_of(graph.edges.begin(), graph.edges.end(), joins)) return;
  for (const auto& [name, subgraph] : clusters_) static_cast<void>(nodes(subgraph));
  Drawing drawing(graph, most, file);
  for (std::size_t at = 0; at < drawing.drawn; ++at) {
    const DotEdge edge = graph.edges[at];  // a copy: more edges follow
    if (joins(edge)) join(drawing, edge);
  }
  if (spawns) spawn(drawing);
}

}  // namespace damocles
