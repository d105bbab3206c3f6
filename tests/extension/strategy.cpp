#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Tasks from the last submitted to the first, from one queue for all processors.
class NewestFirst final : public Strategy {
 public:
  explicit NewestFirst(const StrategyContext& context) : open_(context.workload.tasks()) {}

  void request(ProcessorId, Grant& grant) override {
    if (open_ > 0) grant.tasks.add(TaskId{--open_});
  }

 private:
  std::uint64_t open_;
};

const Register newest_first_entry{
    StrategyEntry{.name = "newest-first",
                  .source = "an example",
                  .summary = "tasks in the reverse order of submission",
                  .make = make<NewestFirst>,
                  .loads_implicit = true}};

}  // namespace
}  // namespace damocles
