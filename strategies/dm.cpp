#include "strategies/parts/allotted_when_ready.hpp"

namespace damocles {
namespace {

/// Deque model: each task on the processor where it should complete first, had transfers no time,
/// in the order in which they become ready.
///
/// Source: StarPU handbook, "Performance Modelling Policies" (dm).
class Dm final : public AllottedWhenReady {
 public:
  explicit Dm(const StrategyContext& context)
      : AllottedWhenReady(context, {.prefetch = true}, {.transfers = false}) {}
};

const Register dm_entry{StrategyEntry{
    .name = "dm",
    .source = "StarPU handbook",
    .summary = "Assign to the earliest completion time, ignoring transfers; to see what dmda gains",
    .options = {prefetch_option()},
    .make = make<Dm>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .host_bytes = {.by_data = ReadyList::bytes_by_data},
    .loads_ahead = true}};

}  // namespace
}  // namespace damocles
