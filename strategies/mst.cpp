#include "strategies/orders/mst_order.hpp"
#include "strategies/parts/fixed_order.hpp"

namespace damocles {
namespace {

/// Tasks in the order in which Prim's algorithm includes them in a maximum spanning tree of the
/// task graph.
///
/// Source: COLOC'21 section 3, after Yoo et al., SPAA'13.
class Mst final : public FixedOrder {
 public:
  explicit Mst(const StrategyContext& context)
      : FixedOrder(context, mst_order(context.workload.graph())) {}
};

const Register mst_entry{
    StrategyEntry{.name = "mst",
                  .source = "COLOC'21, 3",
                  .summary = "Order tasks by a maximum spanning tree of the data they share",
                  .paper_names = {"MST", ""},
                  .make = make<Mst>,
                  .loads_implicit = true,
                  .static_order = true}};

}  // namespace
}  // namespace damocles
