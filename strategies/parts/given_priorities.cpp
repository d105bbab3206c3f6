#include "strategies/parts/given_priorities.hpp"

#include <utility>

#include "orders/memory_order.hpp"
#include "strategies/parts/forwarding.hpp"

namespace damocles {
namespace {

/// A workload that lives as long as the strategy that runs it.
struct OwnWorkload {
  std::unique_ptr<const Workload> workload;
};

class OnOwnWorkload final : private OwnWorkload, public Forwarding {
 public:
  OnOwnWorkload(std::unique_ptr<const Workload> own, std::unique_ptr<Strategy> strategy)
      : OwnWorkload{std::move(own)}, Forwarding(std::move(strategy)) {}
};

std::unique_ptr<const Workload> in_memory_order(const Workload& workload) {
  TaskGraph graph = workload.graph();
  graph.prioritise(MemoryOrder(graph).priorities());
  return std::make_unique<const Workload>(Workload::of_graph(
      workload.text(), std::move(graph), workload.source(), workload.structure()));
}

}  // namespace

StrategyOption priorities_option() {
  return {"priorities",
          "given (default): the workload's; memory: by an order in which results are short-lived, "
          "as in memory-order",
          OptionValues::words({"given", "memory"})};
}

std::unique_ptr<Strategy> with_given_priorities(
    const StrategyContext& context,
    const std::function<std::unique_ptr<Strategy>(const StrategyContext&)>& make) {
  if (word_of(context.spec, "priorities", "given") == "given") return make(context);
  auto workload = in_memory_order(context.workload);
  auto strategy = make({*workload, context.platform, context.memory, context.spec, context.rng,
                        context.memory_bytes, context.placement});
  return std::make_unique<OnOwnWorkload>(std::move(workload), std::move(strategy));
}

}  // namespace damocles
