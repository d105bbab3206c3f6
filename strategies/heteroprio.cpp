#include "strategies/parts/kind_queues.hpp"
#include "strategies/parts/kind_speeds.hpp"
#include "strategies/parts/one_by_one.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// A queue for each kind of task; each kind of processor looks into them in an order of its own,
/// first where it gains most beside the others. Where another kind is the fastest it takes a task
/// only if that one's processors have at least `slow factor` of them waiting each: so many they
/// would compute meanwhile.
///
/// Orders and factors are what the durations say, as its automatic setting has it; a processor that
/// may not take a task now is asked again when another one is ready.
/// Source: StarPU handbook, "Heteroprio"; Agullo, Bramas, Coulaud, Darve, Messner & Takahashi,
/// Concurrency Computat. 2016, section 4.
class Heteroprio : public Strategy {
 public:
  explicit Heteroprio(const StrategyContext& context)
      : queues_(context.workload.graph()), speeds_(context) {
    if (context.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < context.workload.tasks(); ++task) {
      Heteroprio::on_ready(TaskId{task});
    }
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    queues_.push(static_cast<Index>(raw(task)));
    return std::nullopt;
  }
  void request(ProcessorId processor, Grant& grant) override {
    for (const std::size_t kind : speeds_.most_gained_first(processor)) {
      if (queues_.waiting(kind) == 0 || !enough_for(processor, kind)) continue;
      grant.tasks.add(TaskId{queues_.take(kind)});
      return;
    }
  }
  [[nodiscard]] bool exhausted() const override { return queues_.empty(); }

 private:
  [[nodiscard]] bool enough_for(ProcessorId processor, std::size_t kind) const {
    return speeds_.is_fastest(processor, kind) ||
           static_cast<double>(queues_.waiting(kind)) >=
               speeds_.slow_factor(processor, kind) * speeds_.fastest_processors(kind);
  }

  KindQueues<> queues_;
  KindSpeeds speeds_;
};

const Register heteroprio_entry{StrategyEntry{
    .name = "heteroprio",
    .source = "StarPU handbook",
    .summary = "Take the task kind that this processor accelerates most; for mixed nodes",
    .make = make<OneByOne<Heteroprio>>,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .representative = true}};

}  // namespace
}  // namespace damocles
