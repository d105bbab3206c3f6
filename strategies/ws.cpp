#include "strategies/parts/one_by_one.hpp"
#include "strategies/parts/own_queues.hpp"

namespace damocles {
namespace {

/// Work stealing: a task goes to the queue of the processor that ended the last of those it waited
/// for, those that wait for none to one after the other in turn. Who has none left takes the first
/// of the longest queue. First come, first served; priorities do not count.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies" (ws). StarPU's code robs one queue
/// after the other in turn unless it is compiled to look at loads; we do what the handbook says.
class Ws : public OwnQueues {
 public:
  explicit Ws(const Setting& setting) : OwnQueues(setting, Order::as_they_came) { submit_all(); }

 private:
  ProcessorId place(Index) override { return who_freed_it(); }
  [[nodiscard]] bool steals() const override { return true; }
  std::optional<Index> steal(ProcessorId thief) override { return steal_from_most_loaded(thief); }
};

const Register ws_entry{
    StrategyEntry{.name = "ws",
                  .source = "StarPU handbook",
                  .summary = "where the task before ran; idle ones rob the longest queue",
                  .make = make<OneByOne<Ws>>,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .depth = 2}};

}  // namespace
}  // namespace damocles
