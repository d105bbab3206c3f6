#include "strategies/parts/window_above.hpp"

namespace damocles {
namespace {

/// The ready task of the highest priority goes where it should complete first, as by dmda, while
/// fewer than 30 tasks are listed there; else it waits, and all others with it.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-heft).
class ModularHeft final : public PriorityWindow {
 public:
  explicit ModularHeft(const Setting& setting) : PriorityWindow(setting, 1) {}
};

const Register modular_heft_entry{StrategyEntry{
    .name = "modular-heft",
    .source = "StarPU handbook",
    .summary = "Assign by priority to the earliest completion time, while few tasks wait there",
    .options = with_cost_options({room_option(), transfers_option()}),
    .make = make<ModularHeft>,
    .follows_dependencies = true,
    .tells_kinds = true,
    .tasks_only = true,
    .depth = 2,
    .by_priority = true,
    .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
