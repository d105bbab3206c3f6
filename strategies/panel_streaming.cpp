#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "strategies/orders/panel_order.hpp"
#include "strategies/parts/paced_lists.hpp"

namespace damocles {
namespace {

/// Of two orders the slower is taken where it loads less and is slower by no more than this.
constexpr double tolerance = 1.02;
constexpr std::size_t most_rehearsed = 2'000'000;  // tasks of all orders together

/// Of orders of the tasks the one to carry out: of those that are rehearsed in hardly more time
/// than the fastest, the one that loads least.
class Choice {
 public:
  explicit Choice(const StrategyContext& context)
      : context_(context),
        most_(std::max<std::size_t>(1, most_rehearsed / context.workload.graph().tasks())) {}

  /// @param orders  the fewest bytes first
  void rehearse(const std::vector<PanelOrder>& orders) {
    for (const PanelOrder& order : orders) {
      // The bus needs its time whatever the order.
      const double bus_s =
          static_cast<double>(order.bytes) / context_.platform.machine->all_buses_bytes_per_s();
      if (all_.size() == most_ || bus_s >= fastest_s_) break;
      Rehearsed one{plans_for(context_, order.parts), bus_s, order.bytes};
      for (const PacedOrder& plan : one.plans) {
        one.makespan_s = std::max(one.makespan_s, plan.makespan_s);
      }
      fastest_s_ = std::min(fastest_s_, one.makespan_s);
      all_.push_back(std::move(one));
    }
  }

  /// Whether the first `used` processors alone could compute all in less time than the fastest
  /// takes: where the bus is what everyone waits for, fewer processors load fewer data items twice.
  [[nodiscard]] bool may_gain(std::size_t used) const {
    double flops_per_s = 0;
    for (std::size_t p = 0; p < used; ++p) {
      flops_per_s += context_.platform.machine->processors[p].flops_per_s;
    }
    return all_.size() < most_ &&
           context_.workload.graph().total_flops() / flops_per_s < fastest_s_;
  }

  Plans best() {
    std::erase_if(all_,
                  [&](const Rehearsed& one) { return one.makespan_s > tolerance * fastest_s_; });
    return std::move(
        std::min_element(all_.begin(), all_.end(), [](const Rehearsed& a, const Rehearsed& b) {
          return std::tie(a.bytes, a.makespan_s) < std::tie(b.bytes, b.makespan_s);
        })->plans);
  }

 private:
  struct Rehearsed {
    Plans plans;
    double makespan_s;
    std::uint64_t bytes;
  };

  const StrategyContext& context_;
  std::size_t most_;  // to rehearse
  double fastest_s_ = std::numeric_limits<double>::infinity();
  std::vector<Rehearsed> all_;
};

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
    const auto sequences = panel_sequences(graph, memory, processors);
    const auto orders = split_orders(graph, sequences, memory, processors);
    if (!flag_of(context.spec, "pace", true)) return unpaced(orders.front().parts);
    if (rank == "bytes" || !overlaps(context)) return plans_for(context, orders.front().parts);
    Choice choice(context);
    choice.rehearse(orders);
    for (std::size_t used = processors - 1; used > 0 && choice.may_gain(used); --used) {
      auto fewer = split_orders(graph, sequences, memory, used);
      for (PanelOrder& order : fewer) order.parts.resize(processors);
      choice.rehearse(fewer);
    }
    return choice.best();
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
