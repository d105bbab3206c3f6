#include "strategies/parts/placed_by_priority.hpp"

namespace damocles {
namespace {

/// DMDA with its lists sorted by priority; those of one in the order in which they came.
///
/// Source: StarPU handbook, "Performance Modelling Policies" (dmdap).
class Dmdap final : public PlacedByPriority {
 public:
  explicit Dmdap(const StrategyContext& context) : PlacedByPriority(context, 1) {}
};

const Register dmdap_entry{
    StrategyEntry{.name = "dmdap",
                  .source = "StarPU handbook",
                  .summary = "dmda; run the highest priority first",
                  .options = with_cost_options({prefetch_option(), transfers_option()}),
                  .make = make<Dmdap>,
                  .supports_dependencies = true,
                  .heterogeneous = true,
                  .loads_implicit = true,
                  .by_priority = true,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data},
                  .loads_ahead = true}};

}  // namespace
}  // namespace damocles
