#include "strategies/panel_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "models/error.hpp"
#include "models/graph_bound.hpp"
#include "strategies/min_loads.hpp"
#include "strategies/panels.hpp"

namespace damocles {
namespace {

using Index = Bipartite::Index;
using Order = std::vector<Index>;

/// A task in its panel, with what it is sorted by.
struct Placed {
  Index group;  // lowest of the streamed data that hang together by tasks of this panel
  Index first;  // lowest of the data it reads beside its pivot
  Index pivot;
  Index task;
};

/// Writes out the tasks of one panel after the other.
class Streaming {
 public:
  Streaming(const Bipartite& graph, const Pivots& pivots)
      : graph_(graph), pivots_(pivots), parent_(graph.data()) {}

  Order order(const std::vector<std::vector<Index>>& panels) {
    Order result;
    result.reserve(graph_.tasks());
    bool backwards = false;
    for (const auto& panel : panels) {
      place(panel);
      write(backwards, result);
      backwards = !backwards;
    }
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      if (pivots_.of_task[t] == Pivots::none) result.push_back(static_cast<Index>(t));
    }
    return result;
  }

 private:
  void place(const std::vector<Index>& panel) {
    placed_.clear();
    for (const Index pivot : panel) {
      for (const Index task : graph_.users(pivot)) {
        if (pivots_.of_task[task] != pivot) continue;
        Index first = pivot;
        for (const Index data : graph_.inputs(task)) {
          parent_[data] = data;
          if (data != pivot) first = first == pivot ? data : std::min(first, data);
        }
        placed_.push_back({first, first, pivot, task});
      }
    }
    for (const Placed& at : placed_) {
      for (const Index data : graph_.inputs(at.task)) {
        if (data != at.pivot) join(data, at.first);
      }
    }
    for (Placed& at : placed_) at.group = root(at.first);
    std::sort(placed_.begin(), placed_.end(), [&](const Placed& a, const Placed& b) {
      if (a.group != b.group) return a.group < b.group;
      if (a.first != b.first) return a.first < b.first;
      if (a.pivot != b.pivot) return a.pivot < b.pivot;
      return before(a.task, b.task);
    });
  }

  /// By the sets of their inputs, so that the order they were submitted in plays no part.
  [[nodiscard]] bool before(Index a, Index b) const {
    if (a == b) return false;
    Order left(graph_.inputs(a).begin(), graph_.inputs(a).end());
    Order right(graph_.inputs(b).begin(), graph_.inputs(b).end());
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    return left != right ? left < right : a < b;
  }

  /// Groups in the panel's direction; within a group, the tasks of each first data to and fro.
  void write(bool backwards, Order& order) {
    if (backwards) std::reverse(placed_.begin(), placed_.end());
    bool to = true;
    for (auto from = placed_.begin(); from != placed_.end();) {
      const auto end = std::find_if(from, placed_.end(),
                                    [&](const Placed& at) { return at.first != from->first; });
      if (to != backwards) {
        for (auto at = from; at != end; ++at) order.push_back(at->task);
      } else {
        for (auto at = end; at != from;) order.push_back((--at)->task);
      }
      to = !to;
      from = end;
    }
  }

  Index root(Index data) {
    while (parent_[data] != data) {
      parent_[data] = parent_[parent_[data]];
      data = parent_[data];
    }
    return data;
  }

  void join(Index a, Index b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);  // so that a root is the lowest of its group
  }

  const Bipartite& graph_;
  const Pivots& pivots_;
  std::vector<Index> parent_;
  std::vector<Placed> placed_;
};

/// Equal parts by flops, or by number where there are none.
std::vector<Order> parts_of(const Bipartite& graph, const Order& order, std::size_t processors) {
  std::vector<Order> parts(processors);
  const bool weighted = graph.total_flops() > 0;
  const double total = weighted ? graph.total_flops() : static_cast<double>(graph.tasks());
  double done = 0;
  for (const Index task : order) {
    const double work = weighted ? graph.flops(task) : 1.0;
    const double middle = (done + work / 2) / total * static_cast<double>(processors);
    parts[std::min(processors - 1, static_cast<std::size_t>(middle))].push_back(task);
    done += work;
  }
  return parts;
}

/// Shapes to try: pivots in as few panels as memory allows, then in more.
std::vector<PanelShape> shapes(const Bipartite& graph, const Pivots& pivots,
                               std::uint64_t memory_bytes, std::size_t processors) {
  std::vector<bool> is_pivot(graph.data(), false);
  std::uint64_t beside = 0;  // most that a task reads beside its pivot
  std::uint64_t widest = 1;
  std::uint64_t total = 0;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const Index pivot = pivots.of_task[t];
    if (pivot == Pivots::none) continue;
    beside = std::max(beside, graph.footprint(static_cast<Index>(t)) - graph.bytes(pivot));
    if (is_pivot[pivot]) continue;
    is_pivot[pivot] = true;
    total += graph.bytes(pivot);
    widest = std::max(widest, graph.bytes(pivot));
  }
  const std::uint64_t most = std::max(memory_bytes - std::min(beside, memory_bytes), widest);
  const auto fewest = static_cast<double>(std::max<std::uint64_t>(1, (total + most - 1) / most));
  std::vector<std::size_t> counts;
  for (const double share : {1.0, 1.1, 1.25, 1.5, 1.8, 2.2, 3.0}) {
    counts.push_back(static_cast<std::size_t>(std::ceil(fewest * share)));
  }
  // Room for everything: as many panels as a square of processors has columns.
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(processors)));
  counts.push_back(std::max(columns, counts.front()));
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::vector<PanelShape> result;
  for (const std::size_t count : counts) result.push_back({count, most});
  return result;
}

}  // namespace

std::vector<Order> panel_order(const Bipartite& graph, std::uint64_t memory_bytes,
                               std::size_t processors) {
  if (processors == 0) throw InvalidInput("an order of tasks for 0 processors; give at least 1");
  const std::uint64_t compulsory = compulsory_bytes(graph);
  std::vector<Order> best;
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (const Pivots& pivots : choices_of_pivots(graph)) {
    Streaming streaming(graph, pivots);
    for (const PanelShape& shape : shapes(graph, pivots, memory_bytes, processors)) {
      const Order order = streaming.order(group_in_panels(graph, pivots, shape));
      std::vector<Order> parts = parts_of(graph, order, processors);
      std::uint64_t bytes = 0;
      for (const Order& part : parts) bytes += loaded_under_min(graph, part, memory_bytes).bytes;
      if (bytes >= fewest) continue;
      fewest = bytes;
      best = std::move(parts);
      if (fewest == compulsory) return best;
    }
  }
  return best;
}

}  // namespace damocles
