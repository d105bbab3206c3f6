#include "strategies/parts/known_order.hpp"

#include "orders/memory_order.hpp"
#include "orders/ready_order.hpp"

namespace damocles {

bool order_is_known(const StrategyChoice& choice, const Workload& workload,
                    const Platform& platform) {
  if (choice.ready_buffer() || workload.graph().commutes()) return false;
  const StrategyEntry& entry = *choice.entry;
  if (entry.static_order) return true;
  if (entry.order_known != nullptr && entry.order_known(choice, workload, platform)) return true;
  return platform.processors() == 1 && is_chain(workload.graph());
}

std::vector<TaskGraph::Index> order_alone(const StrategyChoice& choice, const TaskGraph& graph) {
  const StrategyEntry& entry = *choice.entry;
  if (entry.order_alone != nullptr) return entry.order_alone(graph);
  if (entry.by_priority && word_of(choice.spec, "priorities", "given") == "memory") {
    return MemoryOrder(graph).tasks;
  }
  return ready_order(graph,
                     entry.by_priority ? ReadyFirst::highest_priority : ReadyFirst::earliest);
}

}  // namespace damocles
