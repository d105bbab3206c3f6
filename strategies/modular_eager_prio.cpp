#include "strategies/parts/central_queue.hpp"

namespace damocles {
namespace {

/// The queue and who draws from it are one part there, so that a task can go straight to a
/// processor that waits, and the queues below hold two tasks more. Ours are one part anyway: it
/// decides what modular-prio-prefetching decides.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-eager-prio).
const Register modular_eager_prio_entry{StrategyEntry{
    .name = "modular-eager-prio",
    .source = "StarPU handbook",
    .summary = "Decide as modular-prio-prefetching (StarPU builds it of fewer components)",
    .make = make<CentralQueue<HighestPriority>>,
    .follows_dependencies = true,
    .tells_kinds = true,
    .tasks_only = true,
    .depth = 4,
    .by_priority = true}};

}  // namespace
}  // namespace damocles
