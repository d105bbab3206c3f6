#include "strategies/parts/placed_by_priority.hpp"
#include "strategies/parts/ready_window.hpp"

namespace damocles {
namespace {

/// DMDA with its lists sorted by priority; among the first 128 tasks of one priority the one that
/// lacks the fewest bytes.
///
/// Source: StarPU handbook, "Performance Modelling Policies" (dmdas).
class Dmdas final : public PlacedByPriority {
 public:
  explicit Dmdas(const StrategyContext& context)
      : PlacedByPriority(context, ready_window(context.spec, ReadyByPriority::wide)) {}
};

const Register dmdas_entry{StrategyEntry{
    .name = "dmdas",
    .source = "StarPU handbook",
    .summary = "dmda; run by priority, then fewest missing bytes; for graphs with dependencies",
    .options = with_cost_options({prefetch_option(), window_option(), transfers_option()}),
    .make = make<Dmdas>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .by_priority = true,
    .host_bytes = {.by_data = PriorityLists::bytes_by_data},
    .loads_ahead = true,
    .by_residency = true}};

}  // namespace
}  // namespace damocles
