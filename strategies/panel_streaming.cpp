#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "strategies/panel_order.hpp"
#include "strategies/planned.hpp"

namespace damocles {
namespace {

/// Of two orders the slower is taken where it loads less and is slower by no more than this.
constexpr double tolerance = 1.02;
constexpr std::size_t most_rehearsed = 2'000'000;  // tasks of all orders together

/// Panels of data stay in memory while the others stream past them, there and back, in an order in
/// which loads come evenly.
///
/// Source: ours; panel_order.hpp and pacing.hpp say how, docs/panel_streaming.md what it buys.
class PanelStreaming final : public Planned {
 public:
  explicit PanelStreaming(const Setting& setting) : Planned(setting, plans(setting)) {}

 private:
  static Plans plans(const Setting& setting) {
    const std::string rank = setting.spec.word("rank").value_or("makespan");
    if (rank != "makespan" && rank != "bytes") {
      setting.spec.refuse("rank must be makespan or bytes, not '" + rank + "'");
    }
    auto orders = panel_orders(setting.workload.graph(), memory_beside_prefetch(setting),
                               setting.platform.processors());
    if (!flag(setting.spec, "pace", true)) return unpaced(orders.front().parts);
    if (rank == "bytes" || !overlaps(setting)) return plans_for(setting, orders.front().parts);
    return fastest(setting, orders);
  }

  /// Of the orders that are rehearsed in hardly more time than the fastest, the one that loads
  /// least. @param orders  the fewest bytes first
  static Plans fastest(const Setting& setting, const std::vector<PanelOrder>& orders) {
    const std::size_t most =
        std::max<std::size_t>(1, most_rehearsed / setting.workload.graph().tasks());
    struct Rehearsed {
      Plans plans;
      double makespan_s;
    };
    std::vector<Rehearsed> all;
    double fastest_s = std::numeric_limits<double>::infinity();
    for (const PanelOrder& order : orders) {
      // The bus needs its time whatever the order.
      const double bus_s =
          static_cast<double>(order.bytes) / setting.platform.limits->bus_bytes_per_s;
      if (all.size() == most || bus_s >= fastest_s) break;
      Plans plans = plans_for(setting, order.parts);
      double makespan_s = bus_s;
      for (const PacedOrder& plan : plans) makespan_s = std::max(makespan_s, plan.makespan_s);
      fastest_s = std::min(fastest_s, makespan_s);
      all.push_back({std::move(plans), makespan_s});
    }
    const auto first = std::find_if(all.begin(), all.end(), [&](const Rehearsed& one) {
      return one.makespan_s <= tolerance * fastest_s;
    });
    return std::move(first->plans);
  }
};

const Register entry{
    {.name = "panel-streaming",
     .source = "ours",
     .summary = "panels of data stay while the others stream past, in a snake; loads come evenly",
     .options = {{"rank",
                  "makespan (default): of the orders rehearsed within 2 % of the fastest the one "
                  "that loads least; bytes: the one that loads least"},
                 {"pace",
                  "false: the snake as it is, its bursts of loads included (default true)"}},
     .make = make<PanelStreaming>,
     .tasks_only = true,
     .eviction = "belady",
     .fixed_order = true}};

}  // namespace
}  // namespace damocles
