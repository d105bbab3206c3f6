#include <algorithm>

#include "models/platforms/durations.hpp"
#include "strategies/parts/central_queue.hpp"

namespace damocles {
namespace {

/// Tasks that wait for nobody, all of which every processor can run, in the order of submission:
/// a number is the queue.
class InOrder final : public Strategy {
 public:
  explicit InOrder(const StrategyContext& context) : workload_(context.workload) {}

  void request(ProcessorId, Grant& grant) override {
    if (next_ < workload_.tasks()) grant.tasks.add(TaskId{next_++});
  }
  [[nodiscard]] bool exhausted() const override { return next_ == workload_.tasks(); }
  /// Exact for one processor; for several, as if it took all tasks that are left.
  [[nodiscard]] std::uint64_t next_use(ProcessorId, DataId data) override {
    const TaskGraph& graph = workload_.graph();
    const auto users = graph.users(static_cast<TaskGraph::Index>(raw(data)));
    const auto next = std::lower_bound(users.begin(), users.end(), next_);
    return next == users.end() ? never : *next - next_;
  }
  [[nodiscard]] bool knows_all_uses() const override { return true; }

 private:
  const Workload& workload_;
  std::uint64_t next_ = 0;
};

/// Tasks in the order in which they were submitted (where they wait for others, in which they
/// became ready), from one queue for all processors; each takes the first that it can run.
///
/// `priorities=front`: as the handbook of StarPU has it, a task of a priority other than 0 is put
/// at the front of the queue. None is in what the papers ran.
/// With the depth of the machine it is StarPU's modular-eager-prefetching, the EAGER of the papers;
/// with depth=2 and patient=true StarPU's eager, where a processor takes a task only when it is
/// about to need one.
///
/// Source: COLOC'21 section 4.1, IPDPS'22 section V-A (EAGER).
std::unique_ptr<Strategy> make_eager(const StrategyContext& context) {
  if (word_of(context.spec, "priorities", "none") == "front") {
    return std::make_unique<CentralQueue<PrioritiesToTheFront>>(context);
  }
  const bool alike =
      !context.platform.machine || Durations(context.workload, context.platform).all_run_all();
  if (alike && !context.workload.has_dependencies()) return std::make_unique<InOrder>(context);
  return std::make_unique<CentralQueue<FirstCome>>(context);
}

/// Without dependencies the queue is the order, whoever takes from it, if all can run all; else the
/// order in which tasks become ready, which is known where one processor runs them all.
bool queue_is_known(const StrategyChoice& choice, const Workload& workload,
                    const Platform& platform) {
  if (word_of(choice.spec, "priorities", "none") == "front") return false;
  if (platform.processors() == 1) return true;
  return !workload.has_dependencies() &&
         !(platform.machine && platform.machine->any_in_host_memory()) &&
         Durations(workload, platform).all_run_all();
}

const Register eager_entry{StrategyEntry{
    .name = "eager",
    .source = "COLOC'21, 4.1",
    .summary = "Share one queue in submission order; the baseline for limited memory",
    .paper_names = {"EAGER", ""},
    .options =
        {{"priorities",
          "none (default): ignore priorities; front: put a task with a priority at the front of the queue",
          OptionValues::words({"none", "front"})}},
    .make = make_eager,
    .supports_dependencies = true,
    .heterogeneous = true,
    .loads_implicit = true,
    .order_known = queue_is_known,
    .representative = true}};

}  // namespace
}  // namespace damocles
