#include "orders/clean_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/compressed_rows.hpp"
#include "orders/rcm_order.hpp"
#include "orders/task_orders.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Excess below this share of all flops is rounding of sums.
constexpr double rounding = 1e-9;

/// How far the parts are beyond their bounds when part 0 weighs `weight` of `total`.
double excess(double weight, double total, const Balance& balance) {
  const double first = weight - balance.imbalance * balance.share * total;
  const double second = total - weight - balance.imbalance * (1 - balance.share) * total;
  const double most = std::max(first, second) / total;
  return most < rounding ? 0 : most;
}

/// Where an order is cut best: its head of `tasks` tasks is part 0.
struct Cut {
  std::size_t tasks;
  std::uint64_t bytes;
  double excess;
  double off;  ///< how far part 0 is from its share, to choose among equals
};

/// The best place to cut an order. @pre at least 2 tasks
Cut best_cut(const TaskGraph& graph, const std::vector<Index>& order,
             const std::vector<double>& weights, const Balance& balance) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Index> in_head(graph.data(), 0);
  std::optional<Cut> best;
  std::uint64_t bytes = 0;
  double weight = 0;
  for (std::size_t tasks = 1; tasks < order.size(); ++tasks) {
    const Index task = order[tasks - 1];
    weight += weights[task];
    for (const Index data : graph.inputs(task)) {
      const std::size_t readers = graph.users(data).size();
      ++in_head[data];
      if (readers == 1) continue;
      if (in_head[data] == 1) bytes += graph.bytes(data);
      if (in_head[data] == readers) bytes -= graph.bytes(data);
    }
    const Cut cut{tasks, bytes, excess(weight, total, balance),
                  std::abs(weight - balance.share * total)};
    const auto better = [](const Cut& a, const Cut& b) {
      if (a.excess != b.excess) return a.excess < b.excess;
      return a.bytes != b.bytes ? a.bytes < b.bytes : a.off < b.off;
    };
    if (!best || better(cut, *best)) best = cut;
  }
  return *best;
}

/// Tasks by the id of the input that is `from_last` before their last, those without one first.
std::vector<Index> by_input(const TaskGraph& graph, std::size_t from_last) {
  const auto key = [&](Index task) {
    const auto inputs = graph.inputs(task);
    return inputs.size() > from_last ? inputs[inputs.size() - 1 - from_last] + 1 : 0;
  };
  return compressed_rows<Index, Index>(graph.data() + 1,
                                       [&](auto&& add) {
                                         for (Index task = 0; task < graph.tasks(); ++task)
                                           add(key(task), task);
                                       })
      .entries;
}

}  // namespace

std::vector<double> task_weights(const TaskGraph& graph) {
  std::vector<double> weights(graph.tasks(), 1.0);
  if (graph.total_flops() > 0) weights = graph.parts().flops;
  return weights;
}

bool reads_both(const TaskGraph& graph, const std::vector<std::uint32_t>& side, Index data) {
  const auto users = graph.users(data);
  return std::any_of(users.begin(), users.end(),
                     [&](Index task) { return side[task] != side[users.front()]; });
}

Bisection judged(const TaskGraph& graph, std::vector<std::uint32_t> side, const Balance& balance) {
  Bisection result;
  const auto weights = task_weights(graph);
  double first = 0;
  for (Index task = 0; task < graph.tasks(); ++task) {
    if (side[task] == 0) first += weights[task];
  }
  result.excess = excess(first, std::accumulate(weights.begin(), weights.end(), 0.0), balance);
  for (Index data = 0; data < graph.data(); ++data) {
    if (reads_both(graph, side, data)) result.cut_bytes += graph.bytes(data);
  }
  result.side = std::move(side);
  return result;
}

Bisection clean_split(const TaskGraph& graph, const Balance& balance) {
  Bisection best;
  if (graph.tasks() < 2)
    return judged(graph, std::vector<std::uint32_t>(graph.tasks(), 0), balance);
  const auto weights = task_weights(graph);
  const auto look_at = [&](const std::vector<Index>& order) {
    const Cut cut = best_cut(graph, order, weights, balance);
    Bisection found{{}, cut.bytes, cut.excess};
    if (!best.side.empty() && !found.better_than(best)) return;
    found.side.assign(graph.tasks(), 1);
    for (std::size_t at = 0; at < cut.tasks; ++at) found.side[order[at]] = 0;
    best = std::move(found);
  };
  for (std::size_t from_last = 0; from_last < graph.widest(); ++from_last) {
    look_at(by_input(graph, from_last));
  }
  look_at(rcm_order(graph));
  look_at(as_submitted(graph));
  return best;
}

}  // namespace damocles
