#include <algorithm>

#include "models/platforms/durations.hpp"
#include "strategies/parts/central_queue.hpp"

namespace damocles {
namespace {

/// Tasks in the order in which they were submitted (where they wait for others, in which they
/// became ready), from one queue for all processors; each takes the first that it can run.
///
/// `priorities=front`: as the handbook of StarPU has it, a task of a priority other than 0 is put
/// at the front of the queue. None is in what the papers ran.
/// With the depth of the machine it is StarPU's modular-eager-prefetching, the EAGER of the papers;
/// with depth=2 StarPU's eager, where a processor takes a task only when it is about to need one.
///
/// Source: COLOC'21 section 4.1, IPDPS'22 section V-A (EAGER).
class Eager final : public Strategy {
 public:
  explicit Eager(const Setting& setting)
      : workload_(setting.workload), ordered_(setting.workload.has_dependencies()) {
    if (!setting.platform.limits) return;
    const Durations durations(setting.workload, setting.platform);
    if (durations.all_run_all()) return;
    kinds_.emplace(Kinds{durations, KindQueues<>(workload_.graph())});
    for (std::uint64_t task = 0; !ordered_ && task < workload_.tasks(); ++task) {
      Eager::on_ready(TaskId{task});
    }
  }

  void request(ProcessorId processor, Grant& grant) override {
    if (kinds_) {
      const auto task = kinds_->queues.take_first_if(
          [&](Index first) { return kinds_->durations.runs(raw(processor), first); });
      if (task) grant.tasks.add(TaskId{*task});
    } else if (ordered_) {
      if (next_ < ready_.size()) grant.tasks.add(ready_[next_++]);
    } else if (next_ < workload_.tasks()) {
      grant.tasks.add(TaskId{next_++});
    }
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    if (kinds_) {
      kinds_->queues.push(static_cast<Index>(raw(task)));
    } else {
      ready_.push_back(task);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool has_nothing() const override {
    if (kinds_) return kinds_->queues.empty();
    return next_ >= (ordered_ ? ready_.size() : workload_.tasks());
  }

  /// Exact for one processor; for several, as if it took all tasks that are left. Unknown where it
  /// is not known yet what will be ready when.
  [[nodiscard]] std::uint64_t next_use(ProcessorId, DataId data) override {
    if (ordered_ || kinds_) return never;
    const TaskGraph& graph = workload_.graph();
    const auto users = graph.users(static_cast<TaskGraph::Index>(raw(data)));
    const auto next = std::lower_bound(users.begin(), users.end(), next_);
    return next == users.end() ? never : *next - next_;
  }

 private:
  using Index = TaskGraph::Index;
  /// Where some processor cannot run some kind of task.
  struct Kinds {
    Durations durations;
    KindQueues<> queues;
  };

  const Workload& workload_;
  bool ordered_;
  std::optional<Kinds> kinds_;
  std::vector<TaskId> ready_;  // in the order in which they became so
  std::uint64_t next_ = 0;
};

std::unique_ptr<Strategy> make_eager(const Setting& setting) {
  const std::string priorities = setting.spec.word("priorities").value_or("none");
  if (priorities == "front") return std::make_unique<CentralQueue<PrioritiesToTheFront>>(setting);
  if (priorities != "none") {
    setting.spec.refuse("priorities must be none or front, not '" + priorities + "'");
  }
  return std::make_unique<Eager>(setting);
}

const Register eager_entry{
    StrategyEntry{.name = "eager",
                  .source = "COLOC'21, 4.1",
                  .summary = "tasks in the order of submission",
                  .paper_names = {"EAGER", ""},
                  .options = {{"priorities",
                               "none (default): they do not count; front: a task that has one goes "
                               "to the front of the queue"}},
                  .make = make_eager,
                  .follows_dependencies = true,
                  .tells_kinds = true,
                  .tasks_only = true,
                  .fixed_order = true}};

}  // namespace
}  // namespace damocles
