#include <cstddef>
#include <string>

#include "orders/panel_order.hpp"
#include "orders/panel_plans.hpp"
#include "strategies/parts/paced_lists.hpp"

namespace damocles {
namespace {

/// Panels of data stay in memory while the others stream past them, there and back, in an order in
/// which loads come evenly.
///
/// Source: ours; panel_order.hpp and pacing.hpp say how, docs/explanation/panel_streaming.md what
/// it buys.
class PanelStreaming final : public PacedLists {
 public:
  explicit PanelStreaming(const StrategyContext& context) : PacedLists(context, plans(context)) {}

 private:
  static Plans plans(const StrategyContext& context) {
    const std::string rank = word_of(context.spec, "rank", "makespan");
    const TaskGraph& graph = context.workload.graph();
    const std::uint64_t memory = memory_beside_prefetch(context);
    const std::size_t processors = context.platform.processors();
    const bool is_paced = flag_of(context.spec, "pace", true);
    if (is_paced && rank != "bytes" && overlaps(context)) {
      return panel_plans(graph, memory, paces_of(context),
                         context.platform.machine->all_buses_bytes_per_s());
    }
    const auto sequences = panel_sequences(graph, memory, processors);
    const auto orders = split_orders(graph, sequences, memory, context.platform.relative_speeds());
    return is_paced ? plans_for(context, orders.front().parts) : unpaced(orders.front().parts);
  }
};

const Register panel_streaming_entry{StrategyEntry{
    .name = "panel-streaming",
    .source = "ours",
    .summary = "Keep a panel resident, stream the rest in serpentine order with paced loads",
    .options =
        {{"rank",
          "what to choose an order by: makespan (default): within 2 % of the fastest in a rehearsal, "
          "the fewest loads; bytes: the fewest loads",
          OptionValues::words({"makespan", "bytes"})},
         {"pace", "false: keep the bursts of loads of the plain serpentine order (default true)",
          OptionValues::true_or_false()}},
    .make = make<PanelStreaming>,
    .loads_implicit = true,
    .eviction = "belady",
    .static_order = true,
    .host_bytes = {.by_data = ReadyList::bytes_by_data},
    .whole_graph = true,
    .representative = true}};

}  // namespace
}  // namespace damocles
