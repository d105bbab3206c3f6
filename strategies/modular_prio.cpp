#include "strategies/parts/central_queue.hpp"
#include "strategies/parts/one_by_one.hpp"

namespace damocles {
namespace {

/// modular-eager, the highest priority first. It decides what prio decides; in StarPU's code, too,
/// only the parts have other names.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-prio).
const Register modular_prio_entry{
    StrategyEntry{.name = "modular-prio",
                  .source = "StarPU handbook",
                  .summary = "Share one ready queue, highest priority first",
                  .make = make<OneByOne<CentralQueue<HighestPriority>>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 2,
                  .by_priority = true}};

}  // namespace
}  // namespace damocles
