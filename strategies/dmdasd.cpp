#include "strategies/parts/placed_by_priority.hpp"
#include "strategies/parts/ready_window.hpp"

namespace damocles {
namespace {

/// dmdas, and where a task goes is decided with what goes before it alone: listed tasks of a lower
/// priority, which it overtakes, do not count.
///
/// Source: StarPU handbook, "Performance Modelling Policies" (dmdasd).
class Dmdasd final : public PlacedByPriority {
 public:
  explicit Dmdasd(const StrategyContext& context)
      : PlacedByPriority(context, ready_window(context.spec, ReadyByPriority::wide),
                         {.by_priority = true}) {}
};

const Register dmdasd_entry{StrategyEntry{
    .name = "dmdasd",
    .source = "StarPU handbook",
    .summary = "dmdas; ignore lower-priority queued tasks when estimating completion",
    .options = with_cost_options({prefetch_option(), window_option(), transfers_option()}),
    .make = make<Dmdasd>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .by_priority = true,
    .host_bytes = {.by_data = PriorityLists::bytes_by_data},
    .loads_ahead = true,
    .by_residency = true}};

}  // namespace
}  // namespace damocles
