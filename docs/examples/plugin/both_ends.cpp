// A strategy as a plug-in: damocles --plugin build/libboth-ends.so list strategies both-ends
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Processors of even number take tasks in the order of submission, the others from its end. Two
/// processors then meet in the middle of a product, and share few of its rows.
class BothEnds final : public Strategy {
 public:
  explicit BothEnds(const StrategyContext& context) : end_(context.workload.tasks()) {}

  void request(ProcessorId processor, Grant& grant) override {
    if (begin_ == end_) return;
    const bool from_begin = raw(processor) % 2 == 0;
    grant.tasks.add(TaskId{from_begin ? begin_++ : --end_});
  }

 private:
  std::uint64_t begin_ = 0;  // tasks from here to `end_` are open
  std::uint64_t end_;
};

const Register both_ends_entry{
    StrategyEntry{.name = "both-ends",
                  .source = "an example of a plug-in",
                  .summary = "tasks from both ends of the order of submission",
                  .make = make<BothEnds>,
                  .loads_implicit = true}};

}  // namespace
}  // namespace damocles
