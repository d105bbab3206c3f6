#include "strategies/parts/drawn_by_speed.hpp"

namespace damocles {
namespace {

/// modular-random-prio with a queue of two tasks more below each processor, whose data travel
/// meanwhile.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-random-prio-prefetching).
const Register modular_random_prio_prefetching_entry{
    StrategyEntry{.name = "modular-random-prio-prefetching",
                  .source = "StarPU handbook",
                  .summary = "modular-random-prio with four tasks per worker instead of two",
                  .make = make<SharedOutBySpeed<PriorityLists::Order::by_priority>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 4,
                  .by_priority = true,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
