#include "strategies/parts/drawn_by_speed.hpp"
#include "strategies/parts/one_by_one.hpp"

namespace damocles {
namespace {

/// Each task to a processor drawn by speed: one that is twice as fast overall gets twice as many.
/// There they wait, first come, first served. In StarPU's modular-random a task waits above until
/// the processor drawn asks; it decides the same.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies" (random). It draws a
/// processor for each task; HPDC'14's random, which is what `random` means here, draws a task for
/// the processor that asks.
const Register random_by_speed_entry{
    StrategyEntry{.name = "random-by-speed",
                  .source = "StarPU handbook",
                  .summary = "Assign at random, in proportion to speed (StarPU's random)",
                  .aliases = {{"modular-random", ""}},
                  .make = make<OneByOne<SharedOutBySpeed<PriorityLists::Order::as_they_came>>>,
                  .supports_dependencies = true,
                  .heterogeneous = true,
                  .loads_implicit = true,
                  .depth = 2,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
