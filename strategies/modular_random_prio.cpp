#include "strategies/parts/drawn_by_speed.hpp"
#include "strategies/parts/one_by_one.hpp"

namespace damocles {
namespace {

/// modular-random, of each processor's tasks the highest priority first.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-random-prio).
const Register modular_random_prio_entry{
    StrategyEntry{.name = "modular-random-prio",
                  .source = "StarPU handbook",
                  .summary = "modular-random; run the highest priority first",
                  .make = make<OneByOne<SharedOutBySpeed<PriorityLists::Order::by_priority>>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 2,
                  .by_priority = true,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
