#include "strategies/parts/send_missing.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// The open task with the smallest indices; only the data the processor lacks are sent.
///
/// Source: HPDC'14 sections 3.2 (SortedOuter) and 4.1 (SortedMatrix): "lexicographical order of
/// indices (i, j)", and (i, j, k) for the matrix product.
class Sorted final : public Strategy {
 public:
  explicit Sorted(const StrategyContext& context)
      : workload_(context.workload), memory_(context.memory) {}

  void request(ProcessorId processor, Grant& grant) override {
    if (next_ == workload_.tasks()) return;
    send_missing(workload_, memory_, processor, TaskId{next_++}, grant);
  }

 private:
  const Workload& workload_;
  const NodeMemory& memory_;
  std::uint64_t next_ = 0;
};

const Register sorted_entry{StrategyEntry{
    .name = "sorted",
    .source = "HPDC'14, 3.2 and 4.1",
    .summary = "Run tasks in lexicographic index order; the baseline without randomness",
    .paper_names = {"SortedOuter", "SortedMatrix"},
    .make = make<Sorted>}};

}  // namespace
}  // namespace damocles
