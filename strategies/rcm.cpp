#include "strategies/orders/rcm_order.hpp"
#include "strategies/parts/fixed_order.hpp"

namespace damocles {
namespace {

/// Tasks in reverse Cuthill-McKee order of the task graph: tasks that share data stand near.
///
/// Source: COLOC'21 section 3.
class Rcm final : public FixedOrder {
 public:
  explicit Rcm(const StrategyContext& context)
      : FixedOrder(context, rcm_order(context.workload.graph())) {}
};

const Register rcm_entry{
    StrategyEntry{.name = "rcm",
                  .source = "COLOC'21, 3",
                  .summary = "Order tasks by reverse Cuthill-McKee on the data they share",
                  .paper_names = {"RCM", ""},
                  .make = make<Rcm>,
                  .loads_implicit = true,
                  .static_order = true}};

}  // namespace
}  // namespace damocles
