#include <cmath>
#include <limits>
#include <optional>

#include "strategies/parts/index_set_expansion.hpp"
#include "strategies/parts/send_missing.hpp"
#include "strategies/parts/task_pool.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Open tasks at which phase 2 starts: `tasks-left`, or exp(-beta) T.
double switch_at(const Spec& spec, const Workload& workload) {
  const double most = std::numeric_limits<double>::max();
  const auto tasks_left = spec.number("tasks-left", 0, most);
  if (tasks_left && spec.has("beta")) spec.refuse("give beta or tasks-left, not both");
  if (tasks_left) return *tasks_left;
  const auto beta = spec.number("beta", 0, most);
  if (!beta) spec.refuse("needs beta=NUMBER or tasks-left=NUMBER; damocles resolves beta=auto");
  return std::exp(-*beta) * static_cast<double>(workload.tasks());
}

/// Data-aware start, random finish: as `dynamic` while more than the threshold of tasks is open,
/// then as `random`, where each processor keeps what it received in either phase.
///
/// Source: HPDC'14 Algorithm 2 (DynamicOuter2Phases) and section 4.1 (DynamicMatrix2Phases).
class DynamicTwoPhases final : public Strategy {
 public:
  explicit DynamicTwoPhases(const StrategyContext& context)
      : workload_(context.workload),
        memory_(context.memory),
        rng_(context.rng),
        expansion_(IndexSetExpansion::make(context.workload, context.platform.processors())),
        phase2_at_(switch_at(context.spec, context.workload)) {}

  void request(ProcessorId processor, Grant& grant) override {
    if (expansion_ && static_cast<double>(expansion_->open().count()) > phase2_at_) {
      expansion_->step(processor, rng_, grant);
      return;
    }
    if (expansion_) {
      pool_.emplace(expansion_->open(), rng_);
      expansion_.reset();
    }
    send_drawn(workload_, memory_, *pool_, rng_, processor, grant);
  }

 private:
  const Workload& workload_;
  const NodeMemory& memory_;
  Rng rng_;
  std::unique_ptr<IndexSetExpansion> expansion_;  // phase 1
  std::optional<TaskPool> pool_;                  // phase 2
  double phase2_at_;
};

const Register dynamic_2phases_entry{StrategyEntry{
    .name = "dynamic-2phases",
    .source = "HPDC'14, Alg. 2 and 4.1",
    .summary = "Run dynamic, then assign the last tasks at random (threshold beta)",
    .paper_names = {"DynamicOuter2Phases", "DynamicMatrix2Phases"},
    .options =
        {{"beta",
          "threshold: phase 2 starts when the share exp(-beta) of the tasks is left; auto (default) or a number",
          OptionValues::words({"auto"}).or_number(0)},
         {"tasks-left", "instead of beta: phase 2 starts when this number of tasks is left",
          OptionValues::number(0)}},
    .make = make<DynamicTwoPhases>,
    .unsupported_reason = unsupported_off_grid,
    .grows_until = switch_at,
    .has_threshold = true,
    .loads_ahead = true}};

}  // namespace
}  // namespace damocles
