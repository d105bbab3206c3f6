#include "orders/panel_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "models/error.hpp"
#include "orders/disjoint_sets.hpp"
#include "orders/gain_order.hpp"
#include "orders/min_loads.hpp"
#include "orders/packing.hpp"
#include "orders/panels.hpp"
#include "orders/pivot_blocks.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Order = std::vector<Index>;
using Panels = std::vector<std::vector<Index>>;
constexpr std::size_t most_listed = 3'000'000;  // tasks of all orders together

/// A task in its panel, with what it is sorted by.
struct Placed {
  Index group;  // lowest of the streamed data that hang together by tasks of this panel
  Index first;  // lowest of the data it reads beside its pivot
  Index pivot;
  Index task;
};

/// Writes out the tasks of one panel after the other, always from the half whose data were used
/// last: memory may hold them still. On a 2D product that is a snake.
class Streaming {
 public:
  Streaming(const TaskGraph& graph, const Pivots& pivots)
      : graph_(graph), pivots_(pivots), sets_(graph.data()), count_(graph.data(), 0) {}

  Order order(const std::vector<std::vector<Index>>& panels) {
    Order result;
    result.reserve(graph_.tasks());
    last_use_.assign(graph_.data(), 0);
    for (const auto& panel : panels) {
      place(panel);
      write(result);
    }
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      if (pivots_.of_task[t] == Pivots::none) result.push_back(static_cast<Index>(t));
    }
    return result;
  }

 private:
  using Iterator = std::vector<Placed>::const_iterator;

  void place(const std::vector<Index>& panel) {
    unsorted_.clear();
    Order ascending = panel;
    std::sort(ascending.begin(), ascending.end());
    for (const Index pivot : ascending) {
      for (const Index task : graph_.users(pivot)) {
        if (pivots_.of_task[task] != pivot) continue;
        Index first = pivot;
        for (const Index data : graph_.inputs(task)) {
          sets_.part(data);
          if (data != pivot) first = first == pivot ? data : std::min(first, data);
        }
        unsorted_.push_back({first, first, pivot, task});
      }
    }
    for (const Placed& at : unsorted_) {
      for (const Index data : graph_.inputs(at.task)) {
        if (data != at.pivot) sets_.join(data, at.first);
      }
    }
    sort();
  }

  /// Sorts by group, first data, pivot, inputs: a counting sort by first data, as most tasks
  /// differ in no more than that and their pivots, which ascend already.
  void sort() {
    Order firsts;
    for (Placed& at : unsorted_) {
      at.group = sets_.root(at.first);
      if (count_[at.first]++ == 0) firsts.push_back(at.first);
    }
    std::sort(firsts.begin(), firsts.end(), [&](Index a, Index b) {
      return std::pair(sets_.root(a), a) < std::pair(sets_.root(b), b);
    });
    Index begin = 0;
    for (const Index first : firsts) begin += std::exchange(count_[first], begin);
    placed_.resize(unsorted_.size());
    for (const Placed& at : unsorted_) placed_[count_[at.first]++] = at;
    for (const Index first : firsts) count_[first] = 0;
    const auto same = [](const Placed& a, const Placed& b) {
      return a.first == b.first && a.pivot == b.pivot;
    };
    for (auto from = placed_.begin(); from != placed_.end();) {
      auto end = from + 1;
      while (end != placed_.end() && same(*from, *end)) ++end;
      if (end - from > 1) {
        std::sort(from, end, [&](const Placed& a, const Placed& b) { return before(a, b); });
      }
      from = end;
    }
  }

  /// By the sets of their inputs, so that the order they were submitted in plays no part.
  [[nodiscard]] bool before(const Placed& a, const Placed& b) const {
    Order left(graph_.inputs(a.task).begin(), graph_.inputs(a.task).end());
    Order right(graph_.inputs(b.task).begin(), graph_.inputs(b.task).end());
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    return left != right ? left < right : a.task < b.task;
  }

  /// When the data that stream past in some tasks were last used, in the mean.
  [[nodiscard]] double last_use_of(Iterator from, Iterator end) const {
    double sum = 0;
    double count = 0;
    for (; from != end; ++from) {
      for (const Index data : graph_.inputs(from->task)) {
        if (data == from->pivot) continue;
        sum += static_cast<double>(last_use_[data]);
        count += 1;
      }
    }
    return sum / std::max(1.0, count);
  }

  /// Groups from one end of the panel to the other; within them the tasks of each first data item.
  void write(Order& order) {
    const auto middle = placed_.begin() + static_cast<std::ptrdiff_t>(placed_.size() / 2);
    if (last_use_of(middle, placed_.end()) > last_use_of(placed_.begin(), middle)) {
      std::reverse(placed_.begin(), placed_.end());
    }
    for (auto from = placed_.cbegin(); from != placed_.cend();) {
      auto end = from + 1;
      while (end != placed_.cend() && end->first == from->first) ++end;
      if (last_use_[(end - 1)->pivot] > last_use_[from->pivot]) {
        for (auto at = end; at != from;) use((--at)->task, order);
      } else {
        for (auto at = from; at != end; ++at) use(at->task, order);
      }
      from = end;
    }
  }

  void use(Index task, Order& order) {
    order.push_back(task);
    for (const Index data : graph_.inputs(task)) last_use_[data] = order.size();
  }

  const TaskGraph& graph_;
  const Pivots& pivots_;
  DisjointSets sets_;
  std::vector<Index> count_;           // tasks of each first data; zero between panels
  std::vector<std::size_t> last_use_;  // number of the last task that read each data item, from 1
  std::vector<Placed> unsorted_;
  std::vector<Placed> placed_;
};

/// Parts in proportion to the speeds, by flops, or by number where there are none.
std::vector<Order> parts_of(const TaskGraph& graph, const Order& order,
                            std::span<const double> speeds) {
  std::vector<Order> parts(speeds.size());
  const bool weighted = graph.total_flops() > 0;
  const double total = weighted ? graph.total_flops() : static_cast<double>(graph.tasks());
  const auto processors = static_cast<double>(speeds.size());
  const double mean_speed = std::accumulate(speeds.begin(), speeds.end(), 0.0) / processors;
  double done = 0;
  std::size_t part = 0;
  double part_ends = speeds[0] / mean_speed;  // all end at `processors`
  for (const Index task : order) {
    const double work = weighted ? graph.flops(task) : 1.0;
    const double middle = (done + work / 2) / total * processors;
    while (middle >= part_ends && part + 1 < parts.size()) {
      ++part;
      part_ends += speeds[part] / mean_speed;
    }
    parts[part].push_back(task);
    done += work;
  }
  return parts;
}

/// Shapes to try: pivots in as few panels as memory allows, then in more.
std::vector<PanelShape> shapes(const TaskGraph& graph, const Pivots& pivots,
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

/// Graphs with more tasks than this have no order grown load by load: that takes longer a task than
/// panels do.
constexpr std::size_t most_grown = 100'000;

}  // namespace

std::vector<Order> panel_sequences(const TaskGraph& graph, std::uint64_t memory_bytes,
                                   std::size_t processors) {
  if (processors == 0) throw InvalidInput("an order of tasks for 0 processors; give at least 1");
  const std::vector<Pivots> choices = choices_of_pivots(graph);
  const std::size_t most = std::max<std::size_t>(1, most_listed / graph.tasks());
  std::vector<Order> result;
  const auto add = [&](const Pivots& pivots, const Panels& panels) {
    if (result.size() < most) result.push_back(Streaming(graph, pivots).order(panels));
  };
  std::vector<std::vector<PanelShape>> shapes_of;
  std::size_t most_shapes = 0;
  for (const Pivots& pivots : choices) {
    for (const Panels& blocks : pivot_blocks(graph, pivots, memory_bytes)) add(pivots, blocks);
    shapes_of.push_back(shapes(graph, pivots, memory_bytes, processors));
    most_shapes = std::max(most_shapes, shapes_of.back().size());
  }
  for (std::size_t shape = 0; shape < most_shapes; ++shape) {
    for (std::size_t choice = 0; choice < choices.size(); ++choice) {
      if (result.size() >= most || shape >= shapes_of[choice].size()) continue;
      add(choices[choice], group_in_panels(graph, choices[choice], shapes_of[choice][shape]));
    }
  }
  if (graph.tasks() > most_grown) return result;
  for (const double penalty : {1e-6, 0.75, 1.25}) {
    result.push_back(gain_order(graph, memory_bytes, penalty));
  }
  result.push_back(std::move(pack(graph, memory_bytes, 1).front()));
  return result;
}

std::vector<PanelOrder> split_orders(const TaskGraph& graph, const std::vector<Order>& sequences,
                                     std::uint64_t memory_bytes, std::span<const double> speeds) {
  std::vector<PanelOrder> result;
  for (const Order& sequence : sequences) {
    PanelOrder order{parts_of(graph, sequence, speeds), 0};
    for (const Order& part : order.parts) {
      order.bytes += loaded_under_min(graph, part, memory_bytes).bytes;
    }
    result.push_back(std::move(order));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const PanelOrder& a, const PanelOrder& b) { return a.bytes < b.bytes; });
  return result;
}

}  // namespace damocles
