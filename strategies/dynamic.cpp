#include "strategies/parts/index_set_expansion.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Each request adds a random unknown index to every set the processor holds, with all data and
/// open tasks these complete.
///
/// Source: HPDC'14 Algorithm 1 (DynamicOuter) and Algorithm 3 (DynamicMatrix).
class Dynamic final : public Strategy {
 public:
  explicit Dynamic(const StrategyContext& context)
      : rng_(context.rng),
        expansion_(IndexSetExpansion::make(context.workload, context.platform.processors())) {}

  void request(ProcessorId processor, Grant& grant) override {
    if (expansion_->open().count() > 0) expansion_->step(processor, rng_, grant);
  }

 private:
  Rng rng_;
  std::unique_ptr<IndexSetExpansion> expansion_;
};

const Register dynamic_entry{StrategyEntry{
    .name = "dynamic",
    .source = "HPDC'14, Alg. 1 and 3",
    .summary = "Send new blocks, then run every task they enable; for grids, unlimited memory",
    .paper_names = {"DynamicOuter", "DynamicMatrix"},
    .make = make<Dynamic>,
    .unsupported_reason = unsupported_off_grid,
    .grows_until = [](const Spec&, const Workload&) { return 0.0; },
    .loads_ahead = true}};

}  // namespace
}  // namespace damocles
