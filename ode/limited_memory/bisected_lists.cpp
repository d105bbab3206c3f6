#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "ode/limited_memory/task_lists.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// How much larger than its share a part may be.
constexpr double imbalance = 1.01;

/// An order of tasks, and where to cut it in two.
struct OrderCut {
  TaskSequence order;
  std::size_t head = 0;  ///< tasks before the cut
  double excess = 0;     ///< tasks of a part beyond its bound
  std::size_t data = 0;  ///< items that both parts read
  double off = 0;        ///< how far the head is from its share

  [[nodiscard]] bool better_than(const OrderCut& other) const {
    if (excess != other.excess) return excess < other.excess;
    return data != other.data ? data < other.data : off < other.off;
  }
};

/// Cuts a grid in two, and each part again.
class GridCutter {
 public:
  GridCutter(const LimitedRun& run, double imbalance_a_cut)
      : run_(run), imbalance_(imbalance_a_cut), in_part_(run.data()), in_head_(run.data()) {}

  std::vector<TaskSequence> parts(const TaskSequence& tasks, std::size_t count) {
    if (count == 1 || tasks.size() < 2) {
      std::vector<TaskSequence> result(count);
      result.front() = tasks;
      return result;
    }
    const std::size_t left = count / 2;
    const double share = static_cast<double>(left) / static_cast<double>(count);
    OrderCut best = cut(by_column(tasks), share);
    OrderCut by_row = cut(tasks, share);
    if (by_row.better_than(best)) best = std::move(by_row);
    const auto middle = best.order.begin() + static_cast<std::ptrdiff_t>(best.head);
    TaskSequence first(best.order.begin(), middle);
    TaskSequence second(middle, best.order.end());
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    auto result = parts(first, left);
    for (auto& part : parts(second, count - left)) result.push_back(std::move(part));
    return result;
  }

 private:
  [[nodiscard]] TaskSequence by_column(TaskSequence tasks) const {
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](Index a, Index b) { return a % run_.columns < b % run_.columns; });
    return tasks;
  }

  /// The best place to cut the order.
  OrderCut cut(TaskSequence order, double share) {
    std::fill(in_part_.begin(), in_part_.end(), 0);
    std::fill(in_head_.begin(), in_head_.end(), 0);
    for (const Index task : order) {
      for (const Index item : run_.graph->inputs(task)) ++in_part_[item];
    }
    const auto total = static_cast<double>(order.size());
    OrderCut best;
    std::size_t both = 0;
    for (std::size_t head = 1; head < order.size(); ++head) {
      for (const Index item : run_.graph->inputs(order[head - 1])) {
        ++in_head_[item];
        if (in_part_[item] == 1) continue;
        if (in_head_[item] == 1) ++both;
        if (in_head_[item] == in_part_[item]) --both;
      }
      const auto before = static_cast<double>(head);
      const double most = std::max(before - imbalance_ * share * total,
                                   total - before - imbalance_ * (1 - share) * total);
      const OrderCut here{{}, head, std::max(0.0, most), both, std::abs(before - share * total)};
      if (best.head == 0 || here.better_than(best)) best = here;
    }
    best.order = std::move(order);
    return best;
  }

  const LimitedRun& run_;
  double imbalance_;
  std::vector<std::size_t> in_part_;  // by data item, tasks that read it
  std::vector<std::size_t> in_head_;
};

}  // namespace

std::vector<TaskSequence> bisected_lists(const LimitedRun& run) {
  TaskSequence tasks(run.tasks());
  std::iota(tasks.begin(), tasks.end(), Index{0});
  // A part is cut out in so many steps, whose excesses multiply.
  const auto steps = std::max(1, static_cast<int>(std::bit_width(run.processors - 1)));
  return GridCutter(run, std::pow(imbalance, 1.0 / steps)).parts(tasks, run.processors);
}

}  // namespace damocles
