#include "strategies/parts/send_missing.hpp"
#include "strategies/parts/task_pool.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Any open task, each equally likely; only the data the processor lacks are sent.
///
/// Source: HPDC'14 sections 3.2 (RandomOuter) and 4.1 (RandomMatrix).
class Random final : public Strategy {
 public:
  explicit Random(const StrategyContext& context)
      : workload_(context.workload),
        memory_(context.memory),
        rng_(context.rng),
        pool_(context.workload, rng_) {}

  void request(ProcessorId processor, Grant& grant) override {
    send_drawn(workload_, memory_, pool_, rng_, processor, grant);
  }

 private:
  const Workload& workload_;
  const NodeMemory& memory_;
  Rng rng_;
  TaskPool pool_;
};

const Register random_entry{StrategyEntry{
    .name = "random",
    .source = "HPDC'14, 3.2 and 4.1",
    .summary = "Give a random open task to whoever asks; the baseline for unlimited memory",
    .paper_names = {"RandomOuter", "RandomMatrix"},
    .make = make<Random>}};

}  // namespace
}  // namespace damocles
