#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

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
      : run_(run),
        imbalance_(imbalance_a_cut),
        in_part_(run.data()),
        in_head_(run.data()),
        of_head_(run.tasks(), 0) {}

  /// @param tasks  ascending
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
    const auto [first, second] = split(tasks, best);
    auto result = parts(first, left);
    for (auto& part : parts(second, count - left)) result.push_back(std::move(part));
    return result;
  }

 private:
  /// A counting sort; within a column they stay ascending.
  [[nodiscard]] TaskSequence by_column(const TaskSequence& tasks) const {
    std::vector<std::size_t> next(run_.columns + 1, 0);
    for (const Index task : tasks) ++next[task % run_.columns + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    TaskSequence sorted(tasks.size());
    for (const Index task : tasks) sorted[next[task % run_.columns]++] = task;
    return sorted;
  }

  /// The tasks before the cut and those after it, ascending.
  std::pair<TaskSequence, TaskSequence> split(const TaskSequence& tasks, const OrderCut& cut) {
    for (std::size_t at = 0; at < cut.order.size(); ++at) {
      of_head_[cut.order[at]] = at < cut.head ? 1 : 0;
    }
    std::pair<TaskSequence, TaskSequence> halves;
    halves.first.reserve(cut.head);
    halves.second.reserve(tasks.size() - cut.head);
    for (const Index task : tasks) {
      (of_head_[task] != 0 ? halves.first : halves.second).push_back(task);
    }
    return halves;
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
  std::vector<char> of_head_;  // by task: whether it is before the latest cut
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
