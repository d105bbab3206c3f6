#include "orders/rcm_order.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Breadth-first searches of the task graph, each within one component.
class Search {
 public:
  explicit Search(const TaskGraph& graph)
      : graph_(graph),
        degrees_(graph.tasks(), 0),
        seen_(graph.tasks(), 0),
        expanded_(graph.data(), 0) {
    for (Index task = 0; task < graph.tasks(); ++task) {
      for (const Index input : graph.inputs(task)) degrees_[task] += graph.users(input).size() - 1;
    }
  }

  /// Whether some search has met a task.
  [[nodiscard]] bool met(Index task) const { return seen_[task] != 0; }

  /// The component of `start` in Cuthill-McKee order, until the next search.
  const std::vector<Index>& run(Index start) {
    ++search_;
    order_.assign(1, start);
    seen_[start] = search_;
    levels_ = 0;
    std::size_t level_end = 0;
    for (std::size_t next = 0; next < order_.size(); ++next) {
      if (next == level_end) {
        last_level_ = next;
        level_end = order_.size();
        ++levels_;
      }
      visit_neighbours(order_[next]);
    }
    return order_;
  }

  [[nodiscard]] std::size_t levels() const { return levels_; }

  /// Of the tasks farthest from the last start, the one of least degree, then of lowest id.
  [[nodiscard]] Index end() const {
    return *std::min_element(order_.begin() + static_cast<std::ptrdiff_t>(last_level_),
                             order_.end(), [&](Index a, Index b) { return before(a, b); });
  }

 private:
  [[nodiscard]] bool before(Index a, Index b) const {
    return std::pair(degrees_[a], a) < std::pair(degrees_[b], b);
  }

  void visit_neighbours(Index task) {
    const auto first_new = static_cast<std::ptrdiff_t>(order_.size());
    for (const Index input : graph_.inputs(task)) {
      if (std::exchange(expanded_[input], search_) == search_) continue;
      for (const Index user : graph_.users(input)) {
        if (std::exchange(seen_[user], search_) != search_) order_.push_back(user);
      }
    }
    std::sort(order_.begin() + first_new, order_.end(),
              [&](Index a, Index b) { return before(a, b); });
  }

  const TaskGraph& graph_;
  std::vector<std::uint64_t> degrees_;  ///< by task
  std::vector<Index> seen_;             ///< by task: the last search that met it, from 1
  std::vector<Index> expanded_;         ///< by data: the last search that went through it
  Index search_ = 0;
  std::vector<Index> order_;
  std::size_t last_level_ = 0;
  std::size_t levels_ = 0;
};

/// From end to end of a component for as long as that makes the search deeper. Where it does not,
/// the start stays: the tasks of a grid are all as far from the end, and the first is as good.
Index pseudo_peripheral(Search& search, Index start) {
  search.run(start);
  while (true) {
    const std::size_t levels = search.levels();
    const Index end = search.end();
    search.run(end);
    if (search.levels() <= levels) return start;
    start = end;
  }
}

}  // namespace

std::vector<Index> rcm_order(const TaskGraph& graph) {
  Search search(graph);
  std::vector<Index> order;
  order.reserve(graph.tasks());
  for (Index task = 0; task < graph.tasks(); ++task) {
    if (search.met(task)) continue;
    const auto& component = search.run(pseudo_peripheral(search, task));
    order.insert(order.end(), component.begin(), component.end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace damocles
