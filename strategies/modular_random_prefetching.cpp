#include "strategies/parts/drawn_by_speed.hpp"

namespace damocles {
namespace {

/// modular-random with a queue of two tasks more below each processor, whose data travel meanwhile.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-random-prefetching).
const Register modular_random_prefetching_entry{
    StrategyEntry{.name = "modular-random-prefetching",
                  .source = "StarPU handbook",
                  .summary = "modular-random with four tasks per worker instead of two",
                  .make = make<SharedOutBySpeed<PriorityLists::Order::as_they_came>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 4,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
