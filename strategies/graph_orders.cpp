// Tasks in an order that comes from the data they share, computed before the start.
#include <memory>
#include <vector>

#include "orders/mst_order.hpp"
#include "orders/rcm_order.hpp"
#include "strategies/parts/fixed_order.hpp"

namespace damocles {
namespace {

auto in_order_of(std::vector<FixedOrder::Index> (*order)(const TaskGraph&)) {
  return [=](const StrategyContext& context) -> std::unique_ptr<Strategy> {
    return std::make_unique<FixedOrder>(context, order(context.workload.graph()));
  };
}

const Register graph_orders{
    // In the order in which Prim's algorithm includes them in a maximum spanning tree of the task
    // graph; after Yoo et al., SPAA'13.
    StrategyEntry{.name = "mst",
                  .source = "COLOC'21, 3",
                  .summary = "Order tasks by a maximum spanning tree of the data they share",
                  .paper_names = {"MST", ""},
                  .make = in_order_of(mst_order),
                  .loads_implicit = true,
                  .static_order = true,
                  .whole_graph = true},
    StrategyEntry{.name = "rcm",
                  .source = "COLOC'21, 3",
                  .summary = "Order tasks by reverse Cuthill-McKee on the data they share",
                  .paper_names = {"RCM", ""},
                  .make = in_order_of(rcm_order),
                  .loads_implicit = true,
                  .static_order = true,
                  .whole_graph = true}};

}  // namespace
}  // namespace damocles
