#include "strategies/parts/drawn_by_speed.hpp"
#include "strategies/parts/one_by_one.hpp"

namespace damocles {
namespace {

/// Each task to a processor drawn by speed. It decides what random-by-speed decides; in StarPU a
/// task waits above until the processor drawn asks, here in its queue.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-random).
const Register modular_random_entry{
    StrategyEntry{.name = "modular-random",
                  .source = "StarPU handbook",
                  .summary = "Assign at random, in proportion to speed",
                  .make = make<OneByOne<SharedOutBySpeed<PriorityLists::Order::as_they_came>>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 2,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
