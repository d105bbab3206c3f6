#include "strategies/parts/central_queue.hpp"

namespace damocles {
namespace {

/// modular-eager with a queue of two tasks more below each processor, whose data travel meanwhile.
/// The EAGER of COLOC'21 and IPDPS'22 is this one; `eager` takes as many ahead as the machine
/// needs.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-eager-prefetching).
const Register modular_eager_prefetching_entry{
    StrategyEntry{.name = "modular-eager-prefetching",
                  .source = "StarPU handbook",
                  .summary = "modular-eager with four tasks per worker instead of two",
                  .make = make<CentralQueue<FirstCome>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 4}};

}  // namespace
}  // namespace damocles
