#include "strategies/parts/central_queue.hpp"
#include "strategies/parts/one_by_one.hpp"

namespace damocles {
namespace {

/// One queue for all processors, the highest priority first. StarPU's priorities go from -5 to 5;
/// here any number will do. StarPU builds modular-prio of other components; it decides the same.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies" (prio).
const Register prio_entry{StrategyEntry{.name = "prio",
                                        .source = "StarPU handbook",
                                        .summary = "Share one queue, highest priority first",
                                        .aliases = {{"modular-prio", ""}},
                                        .make = make<OneByOne<CentralQueue<HighestPriority>>>,
                                        .supports_dependencies = true,
                                        .heterogeneous = true,
                                        .loads_implicit = true,
                                        .depth = 2,
                                        .by_priority = true,
                                        .representative = true}};

}  // namespace
}  // namespace damocles
