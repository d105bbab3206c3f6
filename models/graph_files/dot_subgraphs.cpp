// Which nodes a named subgraph of a DOT file has, and what an edge between clusters means.

#include "models/graph_files/dot_subgraphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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
    const auto& [begin, entries] = neighbours.rows;
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(begin[node]);
    const auto last = entries.begin() + static_cast<std::ptrdiff_t>(begin[node + 1]);
    const bool inside = std::any_of(
        first, last, [&](Index other) { return other != node && mark[other] == stamp; });
    if (!inside) result.push_back(node);
  }
  return result;
}

struct DotSubgraphs::Drawing {
  explicit Drawing(DotGraph& of)
      : graph(of),
        after(of, [](const DotEdge& edge) { return std::pair(edge.from, edge.to); }),
        before(of, [](const DotEdge& edge) { return std::pair(edge.to, edge.from); }),
        mark(of.nodes.size(), 0) {}

  DotGraph& graph;
  Rows after;
  Rows before;
  std::vector<std::size_t> mark;
  std::map<std::pair<std::uint32_t, End>, Nodes> known;  // the last or first tasks of clusters
};

/// The tasks at which an edge really begins or ends.
DotSubgraphs::Nodes DotSubgraphs::ends(Drawing& drawing, const DotEdge& edge, End end) const {
  const bool is_tail = end == End::tail;
  const Index node = is_tail ? edge.from : edge.to;
  const Index other = is_tail ? edge.to : edge.from;
  const auto name = is_tail ? edge.tail : edge.head;
  const Nodes* const all = name ? cluster(drawing.graph.words[*name]) : nullptr;
  if (all == nullptr || !holds(*all, node) || holds(*all, other)) return {node};
  const auto [entry, is_new] = drawing.known.try_emplace(std::pair(*name, end));
  if (is_new) {
    entry->second = outermost(*all, is_tail ? drawing.after : drawing.before, drawing.mark,
                              drawing.known.size());
  }
  return entry->second.empty() ? Nodes{node} : entry->second;
}

void DotSubgraphs::draw_clusters(DotGraph& graph, std::size_t most, const std::string& file) {
  const auto joins = [](const DotEdge& edge) { return edge.tail || edge.head; };
  if (std::none_of(graph.edges.begin(), graph.edges.end(), joins)) return;
  for (const auto& [name, subgraph] : clusters_) static_cast<void>(nodes(subgraph));
  Drawing drawing(graph);
  const std::size_t drawn = graph.edges.size();
  for (std::size_t at = 0; at < drawn; ++at) {
    const DotEdge edge = graph.edges[at];
    if (!joins(edge)) continue;
    const Nodes tails = ends(drawing, edge, End::tail);
    const Nodes heads = ends(drawing, edge, End::head);
    if (graph.edges.size() - drawn + tails.size() * heads.size() > most) {
      refuse_file(file, edge.line,
                  fmt::format("clusters are joined by more than {} edges; write fewer", most));
    }
    for (const Index tail : tails) {
      for (const Index head : heads) {
        graph.edges.push_back({.from = tail, .to = head, .line = edge.line, .orders = true});
      }
    }
  }
}

}  // namespace damocles
