#include "sim/stepped_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/error.hpp"
#include "sim/run_share.hpp"
#include "strategies/eviction/eviction.hpp"

namespace damocles {

/// The strategy of the run: hands each question out, and waits for the answer.
class SteppedRun::Asking final : public Strategy {
 public:
  Asking(SteppedRun& run, const StrategyContext& context) : run_(run) {
    run_.context_.emplace(context);
    if (context.workload.has_dependencies()) return;  // else the runtime tells of each task
    for (std::uint64_t task = 0; task < context.workload.tasks(); ++task) {
      run_.make_open(static_cast<Index>(task));
    }
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  Asking(Asking&&) = delete;
  Asking& operator=(Asking&&) = delete;
  ~Asking() override { run_.context_.reset(); }

  void request(ProcessorId processor, Grant& grant) override {
    if (!run_.any_open_for(processor)) return;
    run_.worker_ = processor;
    run_.simulation_.pause();
    const Step& answer = run_.steps_.back();
    for (const TaskId task : answer.tasks) grant.tasks.add(task);
    grant.loads = answer.loads;
  }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    run_.make_open(static_cast<Index>(raw(task)));
    return std::nullopt;
  }
  [[nodiscard]] bool consume_wakeup() override { return std::exchange(run_.wake_, false); }
  [[nodiscard]] bool exhausted() const override { return run_.open_ == 0; }
  [[nodiscard]] bool may_grant(ProcessorId processor) const override {
    return run_.any_open_for(processor);
  }

 private:
  SteppedRun& run_;
};

SteppedRun::SteppedRun(const Workload& workload, const Platform& platform, StepOptions options,
                       Watcher watcher)
    : workload_(workload),
      platform_(platform),
      options_(std::move(options)),
      watcher_(std::move(watcher)),
      durations_(workload, platform),
      entry_(entry()),
      choice_{&entry_, Spec::parse("engine", "strategy")},
      is_open_(workload.tasks()),
      loading_(platform.processors()),
      assigned_(platform.processors()),
      simulation_([this] {
        trace_ = simulate_limited(
            workload_, platform_, choice_, options_.seed, options_.replicate,
            [this](const RunEvent& event) { see(event); }, Scheduling::free, &so_far_);
      }) {
  resume();
}

SteppedRun::~SteppedRun() = default;

StrategyEntry SteppedRun::entry() {
  (void)Table<EvictionEntry>::named(options_.eviction);
  return {.name = "engine",
          .source = "the caller",
          .summary = "Decisions from outside",
          .make = [this](const StrategyContext& c) { return std::make_unique<Asking>(*this, c); },
          .supports_dependencies = true,
          .heterogeneous = true,
          .loads_implicit = true,
          .eviction = options_.eviction};
}

/// Runs up to the next question, or to the end.
void SteppedRun::resume() {
  worker_.reset();
  // Who shows the progress of a command on this thread does not outlive this run.
  RunShare* const of_command = std::exchange(RunShare::of_this_thread(), nullptr);
  try {
    simulation_.resume();
  } catch (...) {
    RunShare::of_this_thread() = of_command;
    so_far_ = {};
    throw;
  }
  RunShare::of_this_thread() = of_command;
  if (!over()) return;
  so_far_ = {};
  done_ = true;
}

std::unique_ptr<SteppedRun> SteppedRun::clone(Watcher watcher) const {
  refuse_failed();
  auto copy = std::make_unique<SteppedRun>(workload_, platform_, options_, std::move(watcher));
  for (const Step& step : steps_) {
    if (!copy->takes(step)) break;
    copy->wake_ = step.wake;
    copy->grant(step.tasks, step.loads);
  }
  copy->wake_ = wake_;
  if (!copy->same_state(*this)) {
    throw NoProgress(fmt::format(
        "the clone came to another state by the same {} steps; eviction policy '{}' has to decide the same again",
        steps_.size(), options_.eviction));
  }
  return copy;
}

/// Whether the step, taken by another run, is one for this run now.
bool SteppedRun::takes(const Step& step) const {
  return worker_ == step.worker && time_s() == step.time_s &&
         std::all_of(step.tasks.begin(), step.tasks.end(),
                     [&](TaskId task) { return is_open_[raw(task)]; });
}

bool SteppedRun::same_state(const SteppedRun& other) const {
  return steps_.size() == other.steps_.size() && worker_ == other.worker_ && done_ == other.done_ &&
         time_s() == other.time_s() && trace() == other.trace() && open() == other.open() &&
         loading_ == other.loading_ && assigned_ == other.assigned_;
}

void SteppedRun::refuse_over() const {
  if (done_) throw NoProgress("the run is done: all tasks have ended");
  refuse_failed();
}

void SteppedRun::refuse_failed() const {
  if (over() && !done_) throw NoProgress("the run has ended with an error; make a new engine");
}

ProcessorId SteppedRun::worker() const {
  refuse_over();
  return *worker_;
}

const StrategyContext& SteppedRun::context() const {
  refuse_over();
  return *context_;
}

std::vector<std::uint64_t> SteppedRun::open() const {
  refuse_failed();
  std::vector<std::uint64_t> result;
  result.reserve(open_);
  for (const Index task : opened_) {
    if (is_open_[task]) result.push_back(task);
  }
  return result;
}

void SteppedRun::grant(std::span<const TaskId> tasks, std::span<const DataId> loads) {
  refuse_over();
  check(tasks, loads);
  steps_.push_back(
      {*worker_, time_s(), {tasks.begin(), tasks.end()}, {loads.begin(), loads.end()}, wake_});
  for (const TaskId task : tasks) close(static_cast<Index>(raw(task)));
  resume();
}

void SteppedRun::check(std::span<const TaskId> tasks, std::span<const DataId> loads) const {
  std::vector<TaskId> sorted(tasks.begin(), tasks.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw InvalidInput(fmt::format("task {} stands twice in one grant", raw(*twice)));
  }
  for (const TaskId task : tasks) {
    if (raw(task) >= is_open_.size()) {
      throw InvalidInput(fmt::format("there is no task {}; the run has {}, counted from 0",
                                     raw(task), is_open_.size()));
    }
    const auto index = static_cast<Index>(raw(task));
    if (!is_open_[index]) {
      throw InvalidInput(
          fmt::format("task {} ({}) is not open: it was granted before, or waits for another task",
                      index, workload_.task_name(task)));
    }
    if (!durations_.runs(raw(*worker_), index)) {
      throw InvalidInput(fmt::format("task {} ({}) cannot run on worker {}; grant it another task",
                                     index, workload_.task_name(task), raw(*worker_)));
    }
  }
  for (const DataId data : loads) {
    if (raw(data) < workload_.data()) continue;
    throw InvalidInput(fmt::format("there is no data item {}; the run has {}, counted from 0",
                                   raw(data), workload_.data()));
  }
}

double SteppedRun::time_s() const {
  if (done_) return trace_.makespan_s;
  refuse_failed();
  return *so_far_.now_s;
}

const Trace& SteppedRun::trace() const {
  if (done_) return trace_;
  refuse_failed();
  return *so_far_.trace;
}

std::vector<std::uint64_t> SteppedRun::resident(ProcessorId processor) const {
  const NodeMemory& memory = context().memory;
  const auto& coming = loading(processor);
  std::vector<std::uint64_t> result;
  for (std::uint64_t data = 0; data < workload_.data(); ++data) {
    if (!memory.resident(processor, DataId{data})) continue;
    if (std::find(coming.begin(), coming.end(), data) == coming.end()) result.push_back(data);
  }
  return result;
}

const std::deque<std::uint64_t>& SteppedRun::loading(ProcessorId processor) const {
  refuse_failed();
  return loading_.at(raw(processor));
}

const std::deque<std::uint64_t>& SteppedRun::assigned(ProcessorId processor) const {
  refuse_failed();
  return assigned_.at(raw(processor));
}

/// Keeps what is on its way and who has what to do, before others are told.
void SteppedRun::see(const RunEvent& event) {
  const auto remove = [&](std::deque<std::uint64_t>& from) {
    const auto at = std::find(from.begin(), from.end(), event.id);
    if (at != from.end()) from.erase(at);
  };
  using enum RunEvent::Kind;
  const std::size_t p = raw(event.processor);
  if (event.kind == load_started) loading_[p].push_back(event.id);
  if (event.kind == load_ended) remove(loading_[p]);
  if (event.kind == granted) assigned_[p].push_back(event.id);
  if (event.kind == task_ended) remove(assigned_[p]);
  if (watcher_) watcher_(event);
}

void SteppedRun::make_open(Index task) {
  is_open_[task] = true;
  opened_.push_back(task);
  ++open_;
}

void SteppedRun::close(Index task) {
  is_open_[task] = false;
  --open_;
  constexpr std::size_t few = 16;
  if (opened_.size() < 2 * open_ + few) return;
  std::erase_if(opened_, [&](Index one) { return !is_open_[one]; });
}

bool SteppedRun::any_open_for(ProcessorId processor) const {
  if (open_ == 0 || durations_.all_run_all()) return open_ > 0;
  return std::any_of(opened_.begin(), opened_.end(), [&](Index task) {
    return is_open_[task] && durations_.runs(raw(processor), task);
  });
}

}  // namespace damocles
