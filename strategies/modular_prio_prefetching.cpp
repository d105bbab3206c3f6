#include "strategies/parts/central_queue.hpp"

namespace damocles {
namespace {

/// modular-prio with a queue of two tasks more below each processor, whose data travel meanwhile.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-prio-prefetching).
const Register modular_prio_prefetching_entry{
    StrategyEntry{.name = "modular-prio-prefetching",
                  .source = "StarPU handbook",
                  .summary = "modular-prio with four tasks per worker instead of two",
                  .make = make<CentralQueue<HighestPriority>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 4,
                  .by_priority = true}};

}  // namespace
}  // namespace damocles
