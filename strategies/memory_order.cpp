#include "orders/memory_order.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "models/platforms/durations.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Processors follow one order in which what tasks write lives briefly (orders/memory_order.hpp). A
/// processor that takes the first task of a subtree owns the subtree: its results lie there, and
/// its other tasks load nothing. Who asks takes the first ready task of its own subtrees; then the
/// first that nobody owns; then, rather than be idle, the first of others.
///
/// Subtrees compute at most 1/4 of a processor's share of all work, so that all end at about the
/// same time. What computes more, near the end of the graph, nobody owns.
///
/// Source: Liu, SIAM J. Alg. Disc. Meth. 1987, for the order; Geist & Ng, Int. J. Parallel Program.
/// 1989, for subtrees to processors.
class FollowMemoryOrder final : public Strategy {
 public:
  using Index = TaskGraph::Index;

  explicit FollowMemoryOrder(const StrategyContext& context)
      : durations_(context.workload, context.platform),
        ready_of_(context.platform.processors()),
        ranks_(context.workload.tasks()) {
    const TaskGraph& graph = context.workload.graph();
    MemoryOrder order(graph);
    const auto processors = static_cast<double>(context.platform.processors());
    // A single processor owns all, and follows the order itself.
    subtrees_ = context.platform.processors() == 1
                    ? std::vector<Index>(graph.tasks(), MemoryOrder::none)
                    : order.subtrees(graph, graph.total_flops() / (subtrees_each * processors));
    owners_.resize(graph.tasks());
    waiting_.resize(graph.tasks());
    order_ = std::move(order.tasks);
    for (Index at = 0; at < order_.size(); ++at) ranks_[order_[at]] = at;
    if (context.workload.has_dependencies()) return;
    for (Index task = 0; task < graph.tasks(); ++task) FollowMemoryOrder::on_ready(TaskId{task});
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    const Index rank = ranks_[raw(task)];
    const Index subtree = subtrees_[raw(task)];
    const auto owner = subtree == MemoryOrder::none ? std::nullopt : owners_[subtree];
    (owner ? owned_ : unowned_).insert(rank);
    if (owner) ready_of_[raw(*owner)].insert(rank);
    if (!owner && subtree != MemoryOrder::none) waiting_[subtree].push_back(rank);
    return std::nullopt;
  }
  void request(ProcessorId processor, Grant& grant) override {
    auto rank = first_of(ready_of_[raw(processor)], processor);
    if (!rank) {
      rank = first_of(unowned_, processor);
      if (rank) own(processor, subtrees_[order_[*rank]]);
    }
    if (!rank) rank = first_of(owned_, processor);
    if (!rank) return;
    take(*rank);
    grant.tasks.add(TaskId{order_[*rank]});
  }
  [[nodiscard]] bool exhausted() const override { return unowned_.empty() && owned_.empty(); }

 private:
  using Ranks = std::set<Index>;
  static constexpr double subtrees_each = 4;

  /// The first of these that the processor can run.
  [[nodiscard]] std::optional<Index> first_of(const Ranks& ranks, ProcessorId processor) const {
    const auto at = std::find_if(ranks.begin(), ranks.end(), [&](Index rank) {
      return durations_.runs(raw(processor), order_[rank]);
    });
    return at == ranks.end() ? std::nullopt : std::optional(*at);
  }
  /// The subtree is the processor's from now on, and what of it is ready.
  void own(ProcessorId processor, Index subtree) {
    if (subtree == MemoryOrder::none) return;
    owners_[subtree] = processor;
    for (const Index rank : waiting_[subtree]) {
      unowned_.erase(rank);
      owned_.insert(rank);
      ready_of_[raw(processor)].insert(rank);
    }
    waiting_[subtree] = {};
  }
  void take(Index rank) {
    unowned_.erase(rank);
    if (owned_.erase(rank) == 0) return;
    ready_of_[raw(*owners_[subtrees_[order_[rank]]])].erase(rank);
  }

  Durations durations_;
  std::vector<Index> order_;
  std::vector<Index> subtrees_;                     // of each task, by its last task
  std::vector<std::optional<ProcessorId>> owners_;  // of each subtree
  std::vector<std::vector<Index>> waiting_;         // ready in each that nobody owns
  std::vector<Ranks> ready_of_;                     // in subtrees that a processor owns
  Ranks unowned_;                                   // in no such subtree
  Ranks owned_;                                     // all of ready_of_
  std::vector<Index> ranks_;                        // of each task in the order
};

/// Where each task has ended before the next is asked for, none overtakes another.
bool one_by_one_alone(const StrategyChoice&, const Workload&, const Platform& platform) {
  return platform.processors() == 1 && platform.machine && platform.machine->depth == 1;
}

std::vector<TaskGraph::Index> order_by_memory(const TaskGraph& graph) {
  return MemoryOrder(graph).tasks;
}

const Register memory_order_entry{StrategyEntry{
    .name = "memory-order",
    .source = "SIAM J. Alg. Disc. Meth. 1987 (order)",
    .summary = "Follow an order in which results are short-lived; for tree-like graphs",
    .make = make<FollowMemoryOrder>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .order_known = one_by_one_alone,
    .order_alone = order_by_memory,
    .depth = 2,
    .whole_graph = true,
    .representative = true}};

}  // namespace
}  // namespace damocles
