#include "strategies/parts/one_by_one.hpp"
#include "strategies/parts/own_queues.hpp"

namespace damocles {
namespace {

/// Tasks go to one processor after the other, whoever freed them. Within a queue the highest
/// priority goes first. A processor that has no task left steals from its next neighbour that has
/// one for it.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-ws).
class ModularWs : public OwnQueues {
 public:
  explicit ModularWs(const Setting& setting) : OwnQueues(setting, Order::by_priority) {
    submit_all();
  }

 private:
  ProcessorId place(Index) override { return in_turn(); }
  [[nodiscard]] bool steals() const override { return true; }
  std::optional<Index> steal(ProcessorId thief) override { return steal_from_neighbour(thief); }
};

const Register modular_ws_entry{StrategyEntry{
    .name = "modular-ws",
    .source = "StarPU handbook",
    .summary = "Distribute round-robin, run by priority; idle workers steal from neighbours",
    .make = make<OneByOne<ModularWs>>,
    .follows_dependencies = true,
    .tells_kinds = true,
    .tasks_only = true,
    .depth = 2,
    .by_priority = true,
    .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
