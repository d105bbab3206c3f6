#include "strategies/parts/allotted_when_ready.hpp"

namespace damocles {
namespace {

/// Deque Model Data Aware: each task on the processor where it should complete first, in the order
/// of submission, or where tasks wait for others, in which they become ready. Inputs of the next
/// tasks of the list are fetched whenever the link has time (so that Belady's rule is not MIN here,
/// although the order is fixed); `prefetch` says when they are asked for.
///
/// Source: IPDPS'22, Algorithm 1; depth and prefetching as StarPU's (docs/explanation/peers.md).
class Dmda final : public AllottedWhenReady {
 public:
  explicit Dmda(const StrategyContext& context) : AllottedWhenReady(context, {.prefetch = true}) {}
};

const Register dmda_entry{StrategyEntry{
    .name = "dmda",
    .source = "IPDPS'22, Alg. 1",
    .summary = "Assign to the earliest completion time, transfers included; for mixed nodes",
    .paper_names = {"DMDA", ""},
    .options = with_cost_options({prefetch_option(), transfers_option()}),
    .make = make<Dmda>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .host_bytes = {.by_data = ReadyList::bytes_by_data},
    .loads_ahead = true}};

}  // namespace
}  // namespace damocles
