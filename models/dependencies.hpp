// Which tasks wait for which others.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace damocles {

/// Who waits for whom: a relation between tasks without circles, in compressed rows.
///
/// Where each task of one large group waits for each of another, a *joint* stands between the
/// groups: it waits for all of the first, and all of the second wait for it. So n + m edges do for
/// n m dependencies. Joints are nodes numbered after the tasks; no joint waits for another.
class Dependencies {
 public:
  using Index = std::uint32_t;
  /// (node, a node that has to end before it starts)
  using Wait = std::pair<Index, Index>;

  Dependencies() = default;
  /// A wait given twice counts once. @pre all nodes are below `tasks` + `joints`, and circle() is
  /// empty
  Dependencies(std::size_t tasks, std::span<const Wait> waits, std::size_t joints = 0);

  [[nodiscard]] bool empty() const { return after_.empty(); }
  /// Pairs of tasks of which one waits for the other; a pair of several joints counts for each.
  [[nodiscard]] std::uint64_t size() const;
  /// How many tasks and joints have to end before this node starts.
  [[nodiscard]] std::uint32_t waits_for(Index node) const {
    return waits_for_.empty() ? 0 : waits_for_[node];
  }
  /// Whether the task waits for the other itself, not only for one that does.
  [[nodiscard]] bool waits(Index task, Index before) const;
  /// The tasks that wait for this one, ascending. Takes time and memory for each of them: who walks
  /// over all tasks uses nodes_after(), or a Countdown.
  [[nodiscard]] std::vector<Index> after(Index task) const;

  /// The tasks and joints that wait for this node, ascending.
  [[nodiscard]] std::span<const Index> nodes_after(Index node) const {
    if (after_.empty()) return {};
    return {after_.data() + after_begin_[node], after_.data() + after_begin_[node + 1]};
  }
  [[nodiscard]] bool is_joint(Index node) const { return node >= first_joint_; }
  [[nodiscard]] std::size_t joints() const { return joints_; }

  /// All tasks, each after those that it waits for; of those that could come next the lowest.
  [[nodiscard]] std::vector<Index> order(std::size_t tasks) const;
  /// The same with joints, each after the last task that it waits for.
  [[nodiscard]] std::vector<Index> order_of_nodes(std::size_t tasks) const;

 private:
  [[nodiscard]] bool follows_numbers() const;

  std::vector<std::uint32_t> waits_for_;
  std::vector<std::uint64_t> after_begin_;
  std::vector<Index> after_;
  std::size_t first_joint_ = std::numeric_limits<std::size_t>::max();
  std::size_t joints_ = 0;
};

/// Which tasks still wait for another, while tasks end one after the other.
class Countdown {
 public:
  using Index = Dependencies::Index;

  /// Of no tasks.
  Countdown() = default;
  /// The dependencies outlive it.
  Countdown(const Dependencies& dependencies, std::size_t tasks)
      : dependencies_(&dependencies), tasks_(tasks), left_(tasks + dependencies.joints()) {
    for (Index node = 0; node < left_.size(); ++node) left_[node] = dependencies.waits_for(node);
  }

  [[nodiscard]] std::size_t tasks() const { return tasks_; }
  [[nodiscard]] bool waits(Index task) const { return left_[task] > 0; }
  /// The task has ended: calls visit(task) for each that waited for it alone, ascending.
  template <typename Visit>
  void ended(Index task, Visit&& visit) {
    const auto nodes = dependencies_->nodes_after(task);
    if (nodes.empty() || !dependencies_->is_joint(nodes.back())) {
      for (const Index later : nodes) {
        if (--left_[later] == 0) visit(later);
      }
      return;
    }
    std::vector<Index> freed;
    for (const Index node : nodes) {
      if (--left_[node] > 0) continue;
      if (!dependencies_->is_joint(node)) freed.push_back(node);
      for (const Index later : of_joint(node)) {
        if (--left_[later] == 0) freed.push_back(later);
      }
    }
    std::sort(freed.begin(), freed.end());
    for (const Index later : freed) visit(later);
  }

 private:
  [[nodiscard]] std::span<const Index> of_joint(Index node) const {
    if (!dependencies_->is_joint(node)) return {};
    return dependencies_->nodes_after(node);
  }

  const Dependencies* dependencies_ = nullptr;
  std::size_t tasks_ = 0;
  std::vector<std::uint32_t> left_;  // by node: before it starts
};

/// Nodes that can never start, each waiting for the next and the last for the first; empty where
/// there are none.
[[nodiscard]] std::vector<Dependencies::Index> circle(std::size_t nodes,
                                                      std::span<const Dependencies::Wait> waits);

}  // namespace damocles
