#include "strategies/parts/window_above.hpp"

namespace damocles {
namespace {

/// modular-heft that looks at five tasks of the highest priority and places the one to which it
/// makes the most difference where it runs.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-heft, "takes at most 5 tasks").
/// StarPU's code never compares the first of the five with the others; ours does.
class ModularHeft2 final : public PriorityWindow {
 public:
  explicit ModularHeft2(const Setting& setting) : PriorityWindow(setting, 5) {}
};

const Register modular_heft2_entry{StrategyEntry{
    .name = "modular-heft2",
    .source = "StarPU handbook",
    .summary = "modular-heft; of five tasks, assign the one whose placement matters most",
    .options = with_cost_options({room_option(), transfers_option()}),
    .make = make<ModularHeft2>,
    .follows_dependencies = true,
    .tells_kinds = true,
    .tasks_only = true,
    .depth = 2,
    .by_priority = true,
    .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
