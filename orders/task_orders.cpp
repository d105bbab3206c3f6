#include "orders/task_orders.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace damocles {

using Index = TaskGraph::Index;

std::vector<Index> by_inputs(const TaskGraph& graph) {
  auto inputs = graph.parts().inputs;
  const auto& begin = graph.parts().input_begin;
  const auto row = [&](Index task) {
    return std::span(inputs.data() + begin[task], inputs.data() + begin[task + 1]);
  };
  for (Index task = 0; task < graph.tasks(); ++task) std::sort(row(task).begin(), row(task).end());
  std::vector<Index> order(graph.tasks());
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index a, Index b) {
    const auto left = row(a);
    const auto right = row(b);
    const auto [l, r] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
    if (r == right.end()) return l == left.end() && a < b;
    return l == left.end() || *l < *r;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::sort(order.begin(), order.end(), before);
  }
  return order;
}

std::vector<Index> as_submitted(const TaskGraph& graph) {
  std::vector<Index> order(graph.tasks());
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

}  // namespace damocles
