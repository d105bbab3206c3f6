#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/graph_files/dot_text.hpp"

namespace damocles {

/// The named subgraphs of a DOT file and the nodes in each.
///
/// As in Graphviz, a subgraph that is opened again under its name, inside the same braces, is the
/// same one, so an edge at its braces ends at all nodes it ever named.
class DotSubgraphs {
 public:
  using Index = TaskGraph::Index;
  using Nodes = std::vector<Index>;

  static constexpr std::size_t whole_graph = 0;  ///< the graph itself

  /// The subgraph of that name inside another one; a new one where the name is empty.
  std::size_t open(std::size_t within, const std::string& name);
  /// Adds nodes; one without a name keeps none, as nobody can open it again.
  void add(std::size_t subgraph, const Nodes& nodes);
  /// All nodes of a named subgraph, ascending.
  [[nodiscard]] const Nodes& nodes(std::size_t subgraph);
  [[nodiscard]] bool is_named(std::size_t subgraph) const { return named_.contains(subgraph); }

  /// What ltail and lhead mean: an edge from a cluster is one from all its tasks. Adds edges from
  /// the tasks of the tail's cluster that come last in it to those of the head's cluster that come
  /// first, which order without data. A cluster that is not there, or holds the edge's other end,
  /// means nothing.
  ///
  /// Of `digraph Taskflow`: it draws a task that spawned others as p, those in cluster_p, and edges
  /// from the last of them to p. What p waits for, the first of them wait for too.
  /// @throws InvalidInput naming `file` on more than `most` edges more
  void draw_clusters(DotGraph& graph, std::size_t most, const std::string& file);

 private:
  struct Rows;     // neighbours of each node
  struct Drawing;  // what is known while clusters are joined
  enum class End : bool { tail, head };

  [[nodiscard]] const Nodes* cluster(const std::string& name) const;
  [[nodiscard]] static Nodes outermost(const Nodes& nodes, const Rows& neighbours,
                                       std::vector<std::size_t>& mark, std::size_t stamp);
  [[nodiscard]] Nodes ends(Drawing& drawing, const DotEdge& edge, End end) const;
  static const Nodes& ends_of(Drawing& drawing, std::uint32_t name, const Nodes& all, End end);
  void join(Drawing& drawing, const DotEdge& edge) const;
  void spawn(Drawing& drawing) const;

  std::size_t opened_ = whole_graph;
  std::map<std::pair<std::size_t, std::string>, std::size_t> known_;
  std::map<std::string, std::size_t> clusters_;
  std::map<std::size_t, Nodes> named_;
};

}  // namespace damocles
