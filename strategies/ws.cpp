#include "strategies/parts/one_by_one.hpp"
#include "strategies/parts/own_queues.hpp"

namespace damocles {
namespace {

/// Work stealing: a task goes to the queue of the processor that ended the last of those it waited
/// for, those that wait for none to one after the other in turn. Within a queue the highest
/// priority goes first. A processor that has no task left steals from the longest queue.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies" (ws); its code for priorities.
/// StarPU's code steals from one queue after the other in turn unless it is compiled to look at
/// loads; we do what the handbook says.
class Ws : public OwnQueues {
 public:
  explicit Ws(const StrategyContext& context) : OwnQueues(context, Order::by_priority) {
    submit_all();
  }

 private:
  ProcessorId place(Index) override { return who_freed_it(); }
  [[nodiscard]] bool steals() const override { return true; }
  std::optional<Index> steal(ProcessorId thief) override { return steal_from_most_loaded(thief); }
};

const Register ws_entry{
    StrategyEntry{.name = "ws",
                  .source = "StarPU handbook",
                  .summary = "Keep successors local; idle workers steal from the longest queue",
                  .make = make<OneByOne<Ws>>,
                  .supports_dependencies = true,
                  .heterogeneous = true,
                  .loads_implicit = true,
                  .depth = 2,
                  .by_priority = true,
                  .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
