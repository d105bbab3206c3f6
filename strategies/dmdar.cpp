#include "strategies/parts/allotted_when_ready.hpp"
#include "strategies/parts/ready_window.hpp"

namespace damocles {
namespace {

/// DMDA with Ready: of the tasks allotted to it, a processor takes the first that needs the fewest
/// transfers. Inputs of the next tasks in list order are fetched whenever the link has time;
/// `prefetch` says when they are asked for.
/// IPDPS'22 (V-B d) puts its loads where memory is short down to that; here they are the same with
/// nothing fetched ahead (depth=1: 225, 510 and 905 of the 2D product on one V100 at n = 65, 70 and
/// 75, as measured), so that the list and LRU alone make them.
///
/// Source: IPDPS'22, Algorithms 1 and 2; depth and prefetching as StarPU's
/// (docs/explanation/peers.md).
class Dmdar final : public AllottedWhenReady {
 public:
  explicit Dmdar(const StrategyContext& context)
      : AllottedWhenReady(context, {.ready = ReadyList::whole,
                                    .prefetch = true,
                                    .window = ready_window(context.spec, ReadyList::whole)}) {}
};

const Register dmdar_entry{StrategyEntry{
    .name = "dmdar",
    .source = "IPDPS'22, Alg. 1 and 2",
    .summary = "dmda; run the task that misses the fewest bytes first; for scarce memory",
    .paper_names = {"DMDAR", ""},
    .options = with_cost_options({prefetch_option(), window_option(), transfers_option()}),
    .make = make<Dmdar>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .host_bytes = {.by_data = ReadyList::bytes_by_data},
    .loads_ahead = true,
    .by_residency = true}};

}  // namespace
}  // namespace damocles
