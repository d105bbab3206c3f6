#include "strategies/parts/window_above.hpp"

namespace damocles {
namespace {

/// modular-heft that decides the memory alone: processors that compute in one, as the cores of the
/// host, draw from one list, the highest priority first.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-heft-prio).
class ModularHeftPrio final : public PriorityWindow {
 public:
  explicit ModularHeftPrio(const Setting& setting)
      : PriorityWindow(setting, 1, Lists::one_a_memory) {}
};

const Register modular_heft_prio_entry{
    StrategyEntry{.name = "modular-heft-prio",
                  .source = "StarPU handbook",
                  .summary = "modular-heft with one queue per memory node",
                  .options = with_cost_options({room_option(), transfers_option()}),
                  .make = make<ModularHeftPrio>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 2,
                  .by_priority = true,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
