#include "orders/mst_order.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "models/winner_tree.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Whether a data item is all that any two of its users share, by data. Stops looking at a data
/// item at the first other one that two of its users read.
std::vector<bool> shared_alone(const TaskGraph& graph) {
  constexpr Index no_task = std::numeric_limits<Index>::max();
  std::vector<Index> beside(graph.data(), no_task);  // the last data item it was met beside
  std::vector<bool> alone(graph.data(), true);
  const auto meets_twice = [&](Index data) {
    for (const Index user : graph.users(data)) {
      for (const Index other : graph.inputs(user)) {
        if (other == data) continue;
        if (beside[other] == data) return true;
        beside[other] = data;
      }
    }
    return false;
  };
  for (Index data = 0; data < graph.data(); ++data) alone[data] = !meets_twice(data);
  return alone;
}

class Prim {
 public:
  explicit Prim(const TaskGraph& graph)
      : graph_(graph),
        alone_(shared_alone(graph)),
        walked_(graph.data(), false),
        shares_(graph.tasks(), 0) {
    for (Index task = 0; task < graph.tasks(); ++task) tree_.push_back(unreached);
  }

  std::vector<Index> order() {
    std::vector<Index> order;
    order.reserve(graph_.tasks());
    while (order.size() < graph_.tasks()) {
      order.push_back(static_cast<Index>(tree_.best()));
      include(order.back());
    }
    return order;
  }

 private:
  // The tournament's best is the smallest, so it is told how much a share falls short of the most.
  static constexpr std::uint64_t included = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t unreached = included - 1;

  void include(Index task) {
    tree_.raise(task, included);
    for (const Index input : graph_.inputs(task)) {
      if (!alone_[input]) {
        add_shares(input);
      } else if (!walked_[input]) {
        walked_[input] = true;
        for (const Index user : graph_.users(input)) offer(user, graph_.bytes(input));
      }
    }
    for (const Index user : touched_) {
      offer(user, shares_[user]);
      shares_[user] = 0;
    }
    touched_.clear();
  }

  void add_shares(Index input) {
    for (const Index user : graph_.users(input)) {
      if (tree_.key(user) == included) continue;
      if (shares_[user] == 0) touched_.push_back(user);
      shares_[user] += graph_.bytes(input);
    }
  }

  void offer(Index task, std::uint64_t bytes) {
    const std::uint64_t key = tree_.key(task);
    if (key != included && unreached - bytes < key) tree_.set(task, unreached - bytes);
  }

  const TaskGraph& graph_;
  std::vector<bool> alone_;
  std::vector<bool> walked_;           ///< of the data shared alone
  std::vector<std::uint64_t> shares_;  ///< bytes shared with the task being included, by task
  std::vector<Index> touched_;         ///< tasks whose share is not 0
  WinnerTree<std::uint64_t> tree_{included};
};

}  // namespace

std::vector<Index> mst_order(const TaskGraph& graph) { return Prim(graph).order(); }

}  // namespace damocles
