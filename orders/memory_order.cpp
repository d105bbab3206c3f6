#include "orders/memory_order.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace damocles {
namespace {

using MemoryIndex = MemoryOrder::Index;
using Bytes = std::int64_t;
constexpr MemoryIndex nobody = MemoryOrder::none;

/// Tasks and joints of a graph, and on which node each hangs.
class HangingNodes {
 public:
  explicit HangingNodes(const TaskGraph& graph)
      : waits_(graph.dependencies()),
        nodes_(graph.tasks() + waits_.joints()),
        order_(waits_.empty() ? as_numbered() : waits_.order_of_nodes(graph.tasks())),
        parents_(nodes_, nobody),
        children_(nodes_) {
    std::vector<std::size_t> levels(nodes_);
    for (const MemoryIndex node : order_) {
      const std::size_t level = levels[node] + (waits_.is_joint(node) ? 0 : 1);
      for (const MemoryIndex later : waits_.nodes_after(node)) {
        levels[later] = std::max(levels[later], level);
      }
    }
    for (const MemoryIndex node : order_) {
      const auto after = waits_.nodes_after(node);
      if (after.empty()) continue;
      parents_[node] =
          *std::min_element(after.begin(), after.end(), [&](MemoryIndex a, MemoryIndex b) {
            return std::pair(levels[a], a) < std::pair(levels[b], b);
          });
      children_[parents_[node]].push_back(node);
    }
  }

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] bool is_joint(MemoryIndex node) const { return waits_.is_joint(node); }
  /// All nodes, each after those that it waits for.
  [[nodiscard]] const std::vector<MemoryIndex>& order() const { return order_; }
  [[nodiscard]] MemoryIndex parent(MemoryIndex node) const { return parents_[node]; }
  [[nodiscard]] const std::vector<MemoryIndex>& children(MemoryIndex node) const {
    return children_[node];
  }
  [[nodiscard]] bool awaited(MemoryIndex node) const { return parents_[node] != nobody; }

  /// The nodes for which each waits, those of the lowest rank first.
  [[nodiscard]] std::vector<std::vector<MemoryIndex>> before(
      const std::vector<MemoryIndex>& by_rank) const {
    std::vector<std::vector<MemoryIndex>> before(nodes_);
    for (const MemoryIndex node : by_rank) {
      for (const MemoryIndex later : waits_.nodes_after(node)) before[later].push_back(node);
    }
    return before;
  }

 private:
  [[nodiscard]] std::vector<MemoryIndex> as_numbered() const {
    std::vector<MemoryIndex> order(nodes_);
    for (MemoryIndex node = 0; node < nodes_; ++node) order[node] = node;
    return order;
  }

  const Dependencies& waits_;
  std::size_t nodes_;
  std::vector<MemoryIndex> order_;
  std::vector<MemoryIndex> parents_;
  std::vector<std::vector<MemoryIndex>> children_;
};

/// A stretch of a walk of a subtree: from one valley of its memory over a hill to the next valley.
/// Of the stretches of a walk the hills fall and the valleys rise.
struct Stretch {
  Bytes hill = 0;
  Bytes valley = 0;
  MemoryIndex first = nobody;
  MemoryIndex last = nobody;
};

/// Liu's walk of every tree.
class TreeWalk {
 public:
  TreeWalk(const TaskGraph& graph, const HangingNodes& tree)
      : graph_(graph),
        tree_(tree),
        left_bytes_(tree.nodes()),
        walks_(tree.nodes()),
        next_(tree.nodes(), nobody),
        written_for_(graph.data(), nobody) {
    for (const MemoryIndex node : tree.order()) walk(node);
  }

  /// All nodes, tree by tree.
  [[nodiscard]] std::vector<MemoryIndex> order() const {
    std::vector<MemoryIndex> order;
    for (MemoryIndex root = 0; root < tree_.nodes(); ++root) {
      if (tree_.awaited(root)) continue;
      for (const Stretch& stretch : walks_[root]) {
        for (MemoryIndex at = stretch.first; at != nobody; at = next_[at]) order.push_back(at);
      }
    }
    return order;
  }

 private:
  void walk(MemoryIndex node) {
    std::vector<Stretch> walk = merged(node);
    Bytes from_children = 0;
    for (const MemoryIndex child : tree_.children(node)) from_children += left_bytes_[child];
    left_bytes_[node] = tree_.is_joint(node) ? from_children : left_bytes(node);
    append(walk, {from_children + other_bytes(node), left_bytes_[node], node, node});
    walks_[node] = std::move(walk);
  }

  /// The walks of the children, stretch by stretch, those first that give back the most.
  std::vector<Stretch> merged(MemoryIndex node) {
    const auto& children = tree_.children(node);
    if (children.size() == 1) return std::move(walks_[children.front()]);
    struct Part {
      Stretch stretch;
      Bytes begins;  ///< the valley before it
    };
    std::vector<Part> parts;
    for (const MemoryIndex child : children) {
      Bytes begins = 0;
      for (const Stretch& stretch : walks_[child]) {
        parts.push_back({stretch, begins});
        begins = stretch.valley;
      }
      walks_[child] = {};
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return a.stretch.hill - a.stretch.valley > b.stretch.hill - b.stretch.valley;
    });
    std::vector<Stretch> walk;
    Bytes now = 0;
    for (const auto& [stretch, begins] : parts) {
      const Bytes others = now - begins;
      now = others + stretch.valley;
      append(walk, {others + stretch.hill, now, stretch.first, stretch.last});
    }
    return walk;
  }

  /// Hills fall and valleys rise: else two stretches are one.
  void append(std::vector<Stretch>& walk, Stretch stretch) {
    while (!walk.empty() &&
           (walk.back().valley >= stretch.valley || walk.back().hill <= stretch.hill)) {
      const Stretch before = walk.back();
      walk.pop_back();
      next_[before.last] = stretch.first;
      stretch = {std::max(before.hill, stretch.hill), stretch.valley, before.first, stretch.last};
    }
    walk.push_back(stretch);
  }

  /// What a task leaves to those that wait for it.
  [[nodiscard]] Bytes left_bytes(MemoryIndex task) const {
    Bytes bytes = 0;
    if (!tree_.awaited(task)) return bytes;
    graph_.for_each_access(task, [&](MemoryIndex data, Access access) {
      if (writes(access)) bytes += static_cast<Bytes>(graph_.bytes(data));
    });
    return bytes;
  }

  /// What a task holds while it runs beside what its children left.
  [[nodiscard]] Bytes other_bytes(MemoryIndex node) {
    if (tree_.is_joint(node)) return 0;
    for (const MemoryIndex child : tree_.children(node)) {
      if (tree_.is_joint(child)) continue;
      graph_.for_each_access(child, [&](MemoryIndex data, Access access) {
        if (writes(access)) written_for_[data] = node;
      });
    }
    Bytes bytes = 0;
    for (const MemoryIndex data : graph_.inputs(node)) {
      if (written_for_[data] != node) bytes += static_cast<Bytes>(graph_.bytes(data));
    }
    return bytes;
  }

  const TaskGraph& graph_;
  const HangingNodes& tree_;
  std::vector<Bytes> left_bytes_;            // by node
  std::vector<std::vector<Stretch>> walks_;  // by node that hangs on none yet
  std::vector<MemoryIndex> next_;            // within a stretch
  std::vector<MemoryIndex> written_for_;     // by data: the last node whose children wrote it
};

/// The tasks in that order of nodes, but each after all that it waits for.
std::vector<MemoryIndex> repaired(const HangingNodes& tree, const std::vector<MemoryIndex>& order) {
  const auto before = tree.before(order);
  std::vector<std::size_t> looked(tree.nodes());  // at how many of these
  std::vector<bool> placed(tree.nodes());
  std::vector<MemoryIndex> tasks;
  std::vector<MemoryIndex> path;
  for (const MemoryIndex node : order) {
    if (!placed[node]) path.push_back(node);
    while (!path.empty()) {
      const MemoryIndex at = path.back();
      if (looked[at] < before[at].size()) {
        const MemoryIndex needed = before[at][looked[at]++];
        if (!placed[needed]) path.push_back(needed);
        continue;
      }
      path.pop_back();
      if (!placed[at] && !tree.is_joint(at)) tasks.push_back(at);
      placed[at] = true;
    }
  }
  return tasks;
}

}  // namespace

MemoryOrder::MemoryOrder(const TaskGraph& graph) {
  const HangingNodes tree(graph);
  tasks = repaired(tree, TreeWalk(graph, tree).order());
  parents.assign(graph.tasks(), none);
  for (const Index task : tasks) {
    Index parent = tree.parent(task);
    while (parent != none && tree.is_joint(parent)) parent = tree.parent(parent);
    parents[task] = parent;
  }
}

std::vector<double> MemoryOrder::priorities() const {
  std::vector<double> priorities(tasks.size());
  double rank = 0;
  for (const Index task : tasks) priorities[task] = -rank++;
  return priorities;
}

std::vector<MemoryOrder::Index> MemoryOrder::subtrees(const TaskGraph& graph, double flops) const {
  std::vector<double> work(tasks.size());
  for (const Index task : tasks) {
    work[task] += graph.flops(task);
    if (parents[task] != none) work[parents[task]] += work[task];
  }
  std::vector<Index> roots(tasks.size(), none);
  for (std::size_t left = tasks.size(); left > 0; --left) {
    const Index task = tasks[left - 1];
    if (work[task] > flops) continue;
    const Index parent = parents[task];
    roots[task] = parent != none && roots[parent] != none ? roots[parent] : task;
  }
  return roots;
}

}  // namespace damocles
