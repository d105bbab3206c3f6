#include "strategies/parts/central_queue.hpp"
#include "strategies/parts/one_by_one.hpp"

namespace damocles {
namespace {

/// Tasks to the first processor that can run them, in the order in which they became ready, when it
/// is about to need one. What StarPU's eager is where no task has a priority.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-eager).
const Register modular_eager_entry{StrategyEntry{.name = "modular-eager",
                                                 .source = "StarPU handbook",
                                                 .summary = "Share one ready queue in FIFO order",
                                                 .make = make<OneByOne<CentralQueue<FirstCome>>>,
                                                 .follows_dependencies = true,
                                                 .tells_kinds = true,
                                                 .tasks_only = true,
                                                 .depth = 2}};

}  // namespace
}  // namespace damocles
