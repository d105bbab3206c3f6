#include "gpu/starpu/strategy_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/memory_limits.hpp"

namespace damocles {
namespace {

/// StarPU hands its callbacks no more than a number: one policy at a time.
StrategyPolicy*& running() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static StrategyPolicy* policy = nullptr;
  return policy;
}

/// Takes a lock as StarPU's own policies do: a worker that waits for one says so, as others may
/// wait for the worker meanwhile.
class PolicyLock {
 public:
  explicit PolicyLock(std::mutex& mutex) : lock_(mutex, std::defer_lock) {
    if (lock_.try_lock()) return;
    const bool is_worker = starpu_worker_get_id() >= 0;
    if (is_worker) starpu_worker_relax_on();
    lock_.lock();
    if (is_worker) starpu_worker_relax_off();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace

StrategyPolicy::StrategyPolicy(const StrategyContext& context)
    : context_(context),
      graph_(context.workload.graph()),
      memory_(context.platform.processors(), context.workload.data()),
      pushed_(graph_.tasks(), nullptr),
      nodes_(context.platform.processors()) {
  const MachineModel& machine = *context.platform.machine;
  refuse_heterogeneous(*context.choice.entry, context.workload, context.platform);
  const auto bytes = memory_bytes(machine, context.workload);
  refuse_unfit(context.workload, machine, bytes, false);
  depth_ = machine.depth > 0                 ? machine.depth
           : context.choice.entry->depth > 0 ? context.choice.entry->depth
                                             : prefetch_depth(machine, context.workload);
  timed([&] {
    strategy_ =
        context.choice.make({context.workload, context.platform, memory_, context.choice.spec,
                             Rng(context.seed, Draw::strategy, context.replicate), bytes});
  });
}

starpu_sched_policy* StrategyPolicy::policy() {
  static starpu_sched_policy row = [] {
    starpu_sched_policy policy{};
    policy.init_sched = initialise;
    policy.deinit_sched = initialise;
    policy.push_task = push;
    policy.pop_task = pop;
    policy.pre_exec_hook = pre_exec;
    policy.policy_name = "damocles";
    policy.policy_description = "a strategy of Damocles";
    policy.worker_type = STARPU_WORKER_LIST;
    return policy;
  }();
  running() = this;
  return &row;
}

void StrategyPolicy::attach(const StarpuWorkers& workers,
                            const std::vector<starpu_data_handle_t>& handles) {
  const PolicyLock lock(mutex_);
  workers_ = &workers;
  handles_ = &handles;
  books_.emplace(workers, graph_, handles, memory_);
  guarded([&] { books_->show_home(*strategy_); });
}

void StrategyPolicy::open() {
  const PolicyLock lock(mutex_);
  open_ = true;
}

void StrategyPolicy::initialise(unsigned /*context*/) {}

int StrategyPolicy::push(starpu_task* task) {
  running()->take(task);
  return 0;
}

starpu_task* StrategyPolicy::pop(unsigned /*context*/) {
  return running()->give(static_cast<unsigned>(starpu_worker_get_id()));
}

void StrategyPolicy::pre_exec(starpu_task* task, unsigned /*context*/) {
  const auto id = running()->number_of_(task);
  if (id) running()->started(static_cast<unsigned>(starpu_worker_get_id()), *id);
}

/// StarPU is C: nothing may be thrown through it. The run ends when somebody sees failure().
template <typename Call>
void StrategyPolicy::guarded(Call&& call) {
  if (!failure_.empty()) return;
  try {
    timed(call);
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

template <typename Call>
void StrategyPolicy::timed(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  scheduling_s_ += took.count();
}

void StrategyPolicy::take(starpu_task* task) {
  std::optional<ProcessorId> processor;
  Fetches fetches;
  {
    const PolicyLock lock(mutex_);
    if (const auto id = number_of_(task)) {
      pushed_[raw(*id)] = task;
      if (graph_.ordered()) processor = tell_ready(*id);
      fetches = std::exchange(fetches_, {});
    } else {
      strangers_.push_back(task);
    }
    starpu_push_task_end(task);
  }
  if (processor) fetch(*processor, fetches);
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    starpu_wake_worker_relax_light(static_cast<int>(worker));
  }
}

/// The processor that alone may be granted the task, where it is so.
std::optional<ProcessorId> StrategyPolicy::tell_ready(TaskId task) {
  std::optional<ProcessorId> processor;
  guarded([&] {
    processor = strategy_->on_ready(task);
    if (!processor) return feed_all();
    nodes_[raw(*processor)].starving = false;
    std::vector<DataId> hints;
    strategy_->prefetch_hints(*processor, hints);
    prefetch_hints(*processor, hints);
  });
  return processor;
}

/// Something changed: those that got nothing may ask again.
void StrategyPolicy::feed_all() {
  for (Node& node : nodes_) node.starving = false;
}

starpu_task* StrategyPolicy::give(unsigned worker) {
  const auto processor = workers_ == nullptr ? std::nullopt : workers_->processor(worker);
  starpu_task* task = nullptr;
  Fetches fetches;
  {
    const PolicyLock lock(mutex_);
    if (!strangers_.empty()) {
      task = strangers_.front();
      strangers_.pop_front();
      return task;
    }
    if (!processor || !open_ || !failure_.empty()) return nullptr;
    task = next_task(*processor);
    fetches = std::exchange(fetches_, {});
  }
  fetch(*processor, fetches);
  return task;
}

/// The task that the processor runs now, or null.
starpu_task* StrategyPolicy::next_task(ProcessorId processor) {
  Node& node = nodes_[raw(processor)];
  guarded([&] {
    if (!begun_) begin();
    if (!node.starving) books_->look(*strategy_, processor);
    refill(processor, depth(processor));
  });
  const std::size_t next = next_of(processor);
  if (next == node.buffer.size()) return nullptr;
  starpu_task* const task = std::exchange(pushed_[node.buffer[next]], nullptr);
  node.buffer.erase(node.buffer.begin() + static_cast<std::ptrdiff_t>(next));
  fetch_ahead(processor);
  return task;
}

/// As MemoryAwareRuntime: one task each, then a second; nobody fills its buffer before others
/// asked.
void StrategyPolicy::begin() {
  begun_ = true;
  bool any = true;
  for (std::size_t tasks = 1; any && tasks <= depth_; ++tasks) {
    any = false;
    for (std::size_t p = 0; p < nodes_.size(); ++p) {
      const ProcessorId processor{static_cast<std::uint32_t>(p)};
      any = refill(processor, std::min(tasks, depth(processor))) || any;
    }
  }
}

/// In host memory data lie already, and others could have the task meanwhile.
std::size_t StrategyPolicy::depth(ProcessorId processor) const {
  return workers_->in_host_memory(processor) ? 1 : depth_;
}

/// True if the buffer got a task.
bool StrategyPolicy::refill(ProcessorId processor, std::size_t tasks) {
  Node& node = nodes_[raw(processor)];
  bool any = false;
  while (node.buffer.size() < tasks) {
    if (node.granted.empty() && (node.starving || !ask(processor))) return any;
    node.buffer.push_back(node.granted.front());
    node.granted.pop_front();
    any = true;
  }
  return any;
}

/// True if the strategy granted a task.
bool StrategyPolicy::ask(ProcessorId processor) {
  Node& node = nodes_[raw(processor)];
  std::vector<DataId> hints;
  do {
    grant_.clear();
    strategy_->request(processor, grant_);
    hints.insert(hints.end(), grant_.loads.begin(), grant_.loads.end());
    if (grant_.tasks.empty() && hints.size() > 2 * graph_.data()) {
      throw NoProgress(fmt::format("the strategy sends {} data without end and no task",
                                   context_.platform.name(processor)));
    }
  } while (grant_.tasks.empty() && !grant_.loads.empty());
  if (strategy_->consume_wakeup()) feed_all();
  if (grant_.tasks.empty()) {
    node.starving = true;
    return false;
  }
  grant_.tasks.for_each(
      [&](TaskId task) { node.granted.push_back(static_cast<Index>(raw(task))); });
  prefetch_hints(processor, hints);
  return true;
}

/// The task of the buffer that runs next, its size where none was pushed.
std::size_t StrategyPolicy::next_of(ProcessorId processor) const {
  const auto& buffer = nodes_[raw(processor)].buffer;
  std::size_t next = buffer.size();
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t at = 0; at < buffer.size(); ++at) {
    if (pushed_[buffer[at]] == nullptr) continue;
    if (!context_.choice.ready_buffer()) return at;
    const std::uint64_t missing = missing_bytes(processor, buffer[at]);
    if (missing >= fewest) continue;
    fewest = missing;
    next = at;
  }
  return next;
}

std::uint64_t StrategyPolicy::missing_bytes(ProcessorId processor, Index task) const {
  std::uint64_t bytes = 0;
  for (const Index data : graph_.needed(task)) {
    if (!books_->holds(processor, data)) bytes += graph_.bytes(data);
  }
  return bytes;
}

/// What buffered tasks read is to come while others run.
void StrategyPolicy::fetch_ahead(ProcessorId processor) {
  if (starpu_get_prefetch_flag() == 0 || workers_->in_host_memory(processor)) return;
  for (const Index task : nodes_[raw(processor)].buffer) {
    if (pushed_[task] == nullptr || missing_bytes(processor, task) == 0) continue;
    fetches_.tasks.push_back(pushed_[task]);
    for (const Index data : graph_.needed(task)) {
      if (!books_->holds(processor, data)) books_->expect(processor, data);
    }
  }
}

/// Only where no task writes: what one is writing could not come before it has ended.
void StrategyPolicy::prefetch_hints(ProcessorId processor, const std::vector<DataId>& data) {
  if (graph_.writes() || starpu_get_prefetch_flag() == 0 || workers_->in_host_memory(processor))
    return;
  for (const DataId one : data) {
    const auto index = static_cast<Index>(raw(one));
    if (books_->holds(processor, index)) continue;
    fetches_.data.push_back(index);
    books_->expect(processor, index);
  }
}

/// Only the processor's own worker takes tasks out of its buffer, so they are still there.
void StrategyPolicy::fetch(ProcessorId processor, const Fetches& fetches) const {
  const unsigned worker = workers_->worker(processor);
  for (starpu_task* const task : fetches.tasks) starpu_prefetch_task_input_for(task, worker);
  for (const Index data : fetches.data) {
    starpu_data_idle_prefetch_on_node((*handles_)[data], workers_->node(processor), 1);
  }
}

void StrategyPolicy::started(unsigned worker, TaskId task) {
  const PolicyLock lock(mutex_);
  const auto processor = workers_->processor(worker);
  if (!processor) return;
  guarded([&] {
    books_->begins(*strategy_, *processor, static_cast<Index>(raw(task)));
    strategy_->on_started(*processor, task);
  });
}

void StrategyPolicy::ended(unsigned worker, TaskId task) {
  const PolicyLock lock(mutex_);
  const auto processor = workers_->processor(worker);
  if (!processor) return;
  guarded([&] {
    books_->ended(*strategy_, *processor, static_cast<Index>(raw(task)));
    strategy_->on_finished(*processor, task);
    nodes_[raw(*processor)].starving = false;
    if (strategy_->consume_wakeup()) feed_all();
  });
}

std::vector<std::uint64_t> StrategyPolicy::evictions() const { return books_->evictions(); }

std::string StrategyPolicy::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace damocles
