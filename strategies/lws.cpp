#include "strategies/parts/one_by_one.hpp"
#include "strategies/parts/own_queues.hpp"

namespace damocles {
namespace {

/// Locality work stealing: a task goes to the processor that ended the last of those it waited
/// for, those that wait for none to one after the other in turn. Within a queue the highest
/// priority goes first. A processor that has no task left steals from its next neighbour that has
/// one for it.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies" (lws).
class Lws : public OwnQueues {
 public:
  explicit Lws(const StrategyContext& context) : OwnQueues(context, Order::by_priority) {
    submit_all();
  }

 private:
  ProcessorId place(Index) override { return who_freed_it(); }
  [[nodiscard]] bool steals() const override { return true; }
  std::optional<Index> steal(ProcessorId thief) override { return steal_from_neighbour(thief); }
};

const Register lws_entry{StrategyEntry{
    .name = "lws",
    .source = "StarPU handbook",
    .summary = "Keep successors local, steal from neighbours; a default without performance models",
    .make = make<OneByOne<Lws>>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .by_priority = true,
    .host_bytes = {.by_data = PriorityLists::bytes_by_data},
    .representative = true}};

}  // namespace
}  // namespace damocles
