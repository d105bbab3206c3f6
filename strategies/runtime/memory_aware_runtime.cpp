#include "strategies/runtime/memory_aware_runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/platforms/routing_table.hpp"
#include "strategies/parts/known_order.hpp"
#include "strategies/parts/resident_list.hpp"
#include "strategies/runtime/waits_for_inputs.hpp"

namespace damocles {
namespace {

/// Whether drivers wait for some kind of the workload's tasks.
bool has_synchronous_kinds(const TaskGraph& graph, const MachineModel& machine) {
  const auto& kinds = graph.parts().kind_names;
  if (graph.parts().task_kinds.empty()) return machine.is_synchronous("");
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const std::string& kind) { return machine.is_synchronous(kind); });
}

/// Memory of this computer that a run takes at least [B].
double run_bytes(const Workload& workload, std::size_t processors, const StrategyEntry& entry) {
  constexpr double every_run = WorkerState::bytes_by_data + ResidentList::bytes_by_data + 1.0 / 8;
  return static_cast<double>(processors) * static_cast<double>(workload.data()) *
         (every_run + entry.host_bytes.by_data);
}

}  // namespace

MemoryAwareRuntime::MemoryAwareRuntime(const Workload& workload, const Platform& platform,
                                       const StrategyChoice& strategy, std::uint64_t seed,
                                       std::uint64_t replicate, const RuntimeOptions& options,
                                       ExecutionBackend& backend)
    : graph_(workload.graph()),
      machine_(*platform.machine),
      depth_(machine_.depth > 0          ? machine_.depth
             : strategy.entry->depth > 0 ? strategy.entry->depth
                                         : prefetch_depth(machine_, workload)),
      options_(options),
      backend_(backend),
      promise_(run_bytes(workload, platform.processors(), *strategy.entry), options.others),
      memory_(platform.processors(), workload.data()),
      ready_(graph_),
      any_in_host_memory_(machine_.any_in_host_memory()),
      any_synchronous_(has_synchronous_kinds(graph_, machine_)),
      starving_(platform.processors()),
      idle_(platform.processors()),
      only_asks_(platform.processors()) {
  refuse_heterogeneous(*strategy.entry, workload, platform);
  const auto bytes = memory_bytes(machine_, workload);
  if (machine_.has_peers()) {
    const RoutingTable routes(machine_);
    for (std::size_t from = 0; from < platform.processors(); ++from) {
      for (std::size_t to = 0; to < platform.processors(); ++to) {
        peer_rates_.push_back(routes.between(from, to).bytes_per_s);
      }
    }
  }
  if (graph_.writes()) coherence_.emplace(platform.processors(), graph_);
  refuse_unfit(workload, machine_, bytes, machine_.write_back && machine_.outputs_take_memory);
  making_s_ = timed([&] {
    strategy_ = strategy.make(
        {workload, platform, memory_, strategy.spec, Rng(seed, Draw::strategy, replicate), bytes});
  });
  patient_ = waits_for_inputs(strategy, *strategy_);
  const std::size_t processors = platform.processors();
  const auto& eviction = Table<EvictionEntry>::named(strategy.eviction());
  eviction_ = eviction.make(
      {processors, workload.data(), *strategy_, Rng(seed, Draw::eviction, replicate)});
  if (eviction.by_next_use && !strategy_->knows_all_uses() &&
      (graph_.ordered() || order_is_known(strategy, workload, platform))) {
    expected_.emplace(graph_, order_alone(strategy, graph_));
  }
  for (std::size_t p = 0; p < processors; ++p) {
    workers_.emplace_back(
        ProcessorId{static_cast<std::uint32_t>(p)}, graph_, *strategy_, bytes[p],
        strategy.ready_buffer() ? WorkerState::Order::ready : WorkerState::Order::taken,
        machine_.processors[p].in_host_memory, coherence_ ? &*coherence_ : nullptr,
        expected_ ? &*expected_ : nullptr);
  }
}

/// Runs `decide`; the wall time it took where that is measured, else 0.
template <typename Decide>
double MemoryAwareRuntime::timed(Decide&& decide) {
  if (!options_.timed) {
    decide();
    return 0;
  }
  const auto start = std::chrono::steady_clock::now();
  decide();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  scheduling_s_ += took.count();
  return took.count();
}

void MemoryAwareRuntime::start() {
  show_home();
  ready_.for_each_first([&](Index task) {
    const auto processor = strategy_->on_ready(TaskId{task});
    if (processor) take_hints_at_push(workers_[raw(*processor)]);
  });
  // One task each, then a second: nobody fills its buffer before the others have asked. Where a
  // round brings nobody a task, no later one would.
  bool any = true;
  for (std::size_t tasks = 1; any && tasks <= depth_; ++tasks) {
    any = false;
    for (WorkerState& worker : workers_) {
      const std::size_t before = worker.buffer().size();
      refill(worker, std::min(tasks, depth(worker)));
      any = any || worker.buffer().size() > before;
    }
  }
  for (WorkerState& worker : workers_) serve(worker);
}

void MemoryAwareRuntime::load_ended(ProcessorId processor, DataId data) {
  WorkerState& worker = workers_[raw(processor)];
  const auto arrived = static_cast<Index>(raw(data));
  --worker.in_flight;
  if (!lenders_.empty()) end_lending(worker, arrived);
  if (coherence_) drop_if_over(arrived);
  if (worker.stale(arrived)) {
    backend_.invalidate(processor, data);
    forget(worker, arrived);
  } else {
    worker.end_load(arrived);
    if (coherence_) coherence_->arrived(processor, arrived);
    strategy_->on_arrived(processor, data);
  }
  if (any_in_host_memory_) wake_held_up();
  serve_all(worker);
}

void MemoryAwareRuntime::task_ended(ProcessorId processor, TaskId task) {
  WorkerState& worker = workers_[raw(processor)];
  worker.finish();
  const auto done = static_cast<Index>(raw(task));
  if (output_room(worker, done) > 0) {
    start_write(worker, done);
  } else if (output_bytes(worker, done) > 0) {
    worker.keep_output(done);
  }
  if (coherence_) end_accesses(worker, done);
  strategy_->on_finished(processor, task);
  ready_.ended(done, [&](Index later) { tell_ready(later); });
  if (++ended_ == graph_.tasks() && coherence_ && machine_.write_back) return_all();
  if (std::exchange(any_may_get_one_, false)) share_out(worker);
  serve_all(worker);
}

void MemoryAwareRuntime::write_ended(ProcessorId processor, TaskId task) {
  WorkerState& worker = workers_[raw(processor)];
  --worker.in_flight_out;
  worker.release(output_room(worker, static_cast<Index>(raw(task))));
  serve_all(worker);
}

/// Everything the processor can begin now.
void MemoryAwareRuntime::serve(WorkerState& worker) {
  if (waits_for_kernel(worker)) return;
  if (!hinted_.empty()) hinted_.erase(worker.id());
  refill(worker, depth(worker));
  // What would be fetched while the next task waits for room would have to go at once, again and
  // again.
  const bool has_room = start_tasks(worker);
  if (waits_for_kernel(worker)) return;
  if (has_room) {
    if (worker.outputs_crowd()) send_outputs(worker);
    start_loads(worker);
  }
  send_outputs(worker);
  if (!worker.early_home.empty()) send_early(worker);
  only_asks_.set(raw(worker.id()), worker.only_asks());
}

/// Outputs kept in free room leave when nothing else travels, or when loads have taken the room.
void MemoryAwareRuntime::send_outputs(WorkerState& worker) {
  while (worker.keeps_outputs() &&
         (worker.outputs_crowd() || worker.in_flight + worker.in_flight_out == 0)) {
    start_write(worker, worker.take_output());
  }
}

void MemoryAwareRuntime::start_write(WorkerState& worker, Index task) {
  ++worker.in_flight_out;
  backend_.start_write(worker.id(), TaskId{task});
}

/// All that may begin now that something has ended on the processor.
void MemoryAwareRuntime::serve_all(WorkerState& worker) {
  serve(worker);
  serve_starved();
  serve_woken();
}

void MemoryAwareRuntime::tell_ready(Index task) {
  if (graph_.reduces()) end_reductions(task);
  if (const auto processor = strategy_->on_ready(TaskId{task})) {
    allotted_.insert(*processor);
    take_hints_at_push(workers_[raw(*processor)]);
  } else {
    any_may_get_one_ = true;
  }
}

/// What the strategy asks ahead for takes the place of what it asked for ahead before.
void MemoryAwareRuntime::take_hints_at_push(WorkerState& worker) {
  hints_.clear();
  strategy_->prefetch_hints(worker.id(), hints_);
  if (hints_.empty()) return;
  worker.hints.swap(hints_);
  worker.hints_done = 0;
  worker.hinted_at_push = true;
  only_asks_.reset(raw(worker.id()));
  hinted_.insert(worker.id());
}

/// Asks those again that got nothing, where there may be something for them now; and what has been
/// asked for ahead meanwhile may be fetched.
void MemoryAwareRuntime::serve_starved() {
  if (strategy_->consume_wakeup()) any_may_get_one_ = true;
  if (!any_may_get_one_ && hinted_.empty() && allotted_.empty()) return;
  auto served = std::exchange(hinted_, {});
  const auto allotted = std::exchange(allotted_, {});
  if (std::exchange(any_may_get_one_, false)) {
    if (starving_.none() && served.empty()) return;
    boost::dynamic_bitset<>& all = asked_again_;
    all = starving_;
    for (const ProcessorId processor : served) all.set(raw(processor));
    constexpr auto end = boost::dynamic_bitset<>::npos;
    // To serve one that would only ask, and in vain, would change nothing.
    bool all_taken = false;
    const auto leave_out = [&] {
      if (all_taken || !strategy_->exhausted()) return;
      all_taken = true;
      all -= only_asks_;
    };
    leave_out();
    for (auto p = all.find_first(); p != end; p = all.find_next(p)) {
      const auto* const granted = strategy_->all_it_may_grant();
      if (granted != nullptr && only_asks_.test(p) && !granted->test(p)) {
        p = (all - (only_asks_ - *granted)).find_next(p);
        if (p == end) break;
      }
      if (only_asks_.test(p) && !strategy_->may_grant(workers_[p].id())) continue;
      serve(workers_[p]);
      leave_out();
    }
    return;
  }
  for (const ProcessorId processor : allotted) {
    if (starving_.test(raw(processor))) served.insert(processor);
  }
  for (const ProcessorId processor : served) serve(workers_[raw(processor)]);
}

void MemoryAwareRuntime::serve_woken() {
  while (!woken_.empty()) {
    WorkerState& woken = workers_[raw(woken_.back())];
    woken_.pop_back();
    serve(woken);
  }
}

void MemoryAwareRuntime::refill(WorkerState& worker, std::size_t tasks) {
  if (waits_for_kernel(worker)) return;
  while (worker.buffer().size() < tasks && !(patient_ && worker.waits())) {
    if (worker.granted.empty() && !ask(worker)) return;
    worker.buffer_task(worker.granted.front());
    worker.granted.pop_front();
  }
}

/// What was looked at since the last decision takes time.
void MemoryAwareRuntime::charge(const WorkerState& worker) {
  const std::uint64_t inspected_items = strategy_->inspected_items();
  const double cost_s =
      machine_.decision_s *
      static_cast<double>(inspected_items - std::exchange(looked_at_, inspected_items));
  backend_.charge_decision_time(worker.id(), cost_s);
  scheduling_s_ += cost_s;
}

/// True if the strategy granted a task.
bool MemoryAwareRuntime::ask(WorkerState& worker) {
  starving_.reset(raw(worker.id()));
  idle_.reset(raw(worker.id()));
  hints_.clear();
  do {
    grant_.clear();
    worker.pending_overhead_s += timed([&] { strategy_->request(worker.id(), grant_); });
    if (machine_.decision_s > 0) charge(worker);
    hints_.insert(hints_.end(), grant_.loads.begin(), grant_.loads.end());
    if (grant_.tasks.empty() && hints_.size() > 2 * graph_.data()) {
      throw NoProgress(fmt::format("the strategy sends {} data without end and no task",
                                   processor_name(machine_, raw(worker.id()))));
    }
  } while (grant_.tasks.empty() && !grant_.loads.empty());
  // Whoever gets no task asks ahead for nothing either, as no task of its own would read it, but
  // for what it may be granted later.
  if (grant_.tasks.empty()) {
    if (!worker.hinted_at_push) worker.hints.clear();
    starving_.set(raw(worker.id()));
    idle_.set(raw(worker.id()), worker.buffer().empty());
    return false;
  }
  worker.hints.swap(hints_);
  worker.hints_done = 0;
  worker.hinted_at_push = false;
  grant_.tasks.for_each([&](TaskId task) {
    worker.granted.push_back(static_cast<Index>(raw(task)));
    if (expected_) expected_->take(static_cast<Index>(raw(task)));
    backend_.granted(worker.id(), task);
  });
  return true;
}

/// False if there is no room for the output of the next task, which is ready.
bool MemoryAwareRuntime::start_tasks(WorkerState& worker) {
  worker.choose_next();
  while (worker.running() < options_.lanes && worker.next_task() &&
         worker.ready(*worker.next_task())) {
    const Index task = *worker.next_task();
    const std::uint64_t output = output_room(worker, task);
    if (coherence_ && !may_write(worker, task)) return true;
    const std::uint64_t room = output + (coherence_ ? created_bytes(worker, task) : 0);
    if (room > 0 && !make_room(worker, room, FetchReason::next_task)) return false;
    if (coherence_) {
      create(worker, task);
      begin_writing(worker, task);
    }
    worker.reserve(output);
    worker.start_next();
    if (!worker.in_host_memory()) {
      for (const Index input : graph_.inputs(task)) eviction_->on_used(worker.id(), DataId{input});
    }
    strategy_->on_started(worker.id(), TaskId{task});
    const double pending_overhead_s = worker.pending_overhead_s;
    worker.pending_overhead_s = 0;
    for (const ProcessorId helper : strategy_->helpers(worker.id(), TaskId{task})) {
      backend_.join(helper, TaskId{task});
    }
    backend_.start_task(worker.id(), TaskId{task}, pending_overhead_s);
  }
  return true;
}

/// All missing inputs of the first buffered task that lacks some travel together, and what it only
/// writes gets room then; those of the next one follow when they have arrived.
void MemoryAwareRuntime::start_loads(WorkerState& worker) {
  const std::size_t in_flight = worker.in_flight;
  if (in_flight > machine_.loads_ahead) return;
  while (worker.in_flight == in_flight) {
    const auto task = worker.first_lacking();
    if (!task) return fetch_next_hint(worker);
    const bool is_next = *task == *worker.next_task();
    const std::size_t needed = graph_.needed(*task).size();
    const auto inputs = graph_.inputs(*task);
    for (std::size_t at = 0; at < inputs.size(); ++at) {
      if (!worker.absent(inputs[at])) continue;
      if (at >= needed && worker.in_host_memory()) break;
      if (!make_room(worker, graph_.bytes(inputs[at]),
                     is_next ? FetchReason::next_task : FetchReason::later_task)) {
        return;
      }
      if (at < needed) {
        load(worker, inputs[at], is_next);
      } else {
        allocate(worker, inputs[at]);
      }
    }
  }
}

void MemoryAwareRuntime::fetch_next_hint(WorkerState& worker) {
  for (; worker.hints_done < worker.hints.size(); ++worker.hints_done) {
    const auto data = static_cast<Index>(raw(worker.hints[worker.hints_done]));
    if (!worker.absent(data)) continue;
    if (coherence_ && (coherence_->being_written(data) || coherence_->reducing(data) ||
                       !coherence_->of_use(data))) {
      continue;
    }
    if (make_room(worker, graph_.bytes(data), FetchReason::prefetch_hint))
      load(worker, data, false);
    return;
  }
}

void MemoryAwareRuntime::load(WorkerState& worker, Index data, bool on_demand) {
  take_in(worker, data);
  ++worker.in_flight;
  if (!peer_rates_.empty()) {
    if (WorkerState* const peer = nearest_peer(worker, data)) {
      peer->pin(data);
      lenders_.emplace(std::pair(data, worker.id()), peer->id());
      return backend_.start_peer_load(peer->id(), worker.id(), DataId{data});
    }
  }
  if (!coherence_ || coherence_->in_host_memory(data)) return send(worker, data, on_demand);
  if (!coherence_->returns(data)) send_home(workers_[raw(coherence_->holder(data))], data);
  coherence_->wait_for_return(data, {worker.id(), on_demand});
}

/// The data are the processor's from now on.
void MemoryAwareRuntime::take_in(WorkerState& worker, Index data) {
  worker.begin_load(data);
  tell_here(worker, data);
}

/// Room for what a task will write is the processor's from now on.
void MemoryAwareRuntime::allocate(WorkerState& worker, Index data) {
  worker.allocate(data);
  tell_here(worker, data);
}

/// Whoever keeps lists of what is there.
void MemoryAwareRuntime::tell_here(const WorkerState& worker, Index data) {
  memory_.load(worker.id(), DataId{data});
  if (!worker.in_host_memory()) eviction_->on_loaded(worker.id(), DataId{data});
  strategy_->on_loaded(worker.id(), DataId{data});
}

void MemoryAwareRuntime::send(WorkerState& worker, Index data, bool on_demand) {
  if (on_demand) {
    backend_.start_load_on_demand(worker.id(), DataId{data});
  } else {
    backend_.start_load(worker.id(), DataId{data});
  }
}

/// Evicts until `bytes` are free; false if the policy finds nobody (what it evicted stays so), or
/// if they will be when what is leaving has left.
bool MemoryAwareRuntime::make_room(WorkerState& worker, std::uint64_t bytes, FetchReason reason) {
  worker.seek_room_for(reason, bytes);
  while (worker.free_bytes() + worker.leaving_bytes() < bytes) {
    std::optional<DataId> victim;
    worker.pending_overhead_s += timed([&] { victim = eviction_->victim(worker.id(), worker); });
    if (!victim) return false;
    evict(worker, static_cast<Index>(raw(*victim)));
  }
  return worker.free_bytes() >= bytes;
}

void MemoryAwareRuntime::evict(WorkerState& worker, Index data) {
  if (worker.allocated(data)) return forget(worker, data);  // room alone
  if (coherence_ && coherence_->must_return(worker.id(), data)) {
    worker.begin_leaving(data);
    tell_gone(worker, data);
    send_home(worker, data);
    return;
  }
  if (coherence_) coherence_->dropped(worker.id(), data);
  backend_.evict(worker.id(), DataId{data});
  forget(worker, data);
}

/// Whoever waited to write what was on its way looks again.
void MemoryAwareRuntime::wake_held_up() {
  woken_.insert(woken_.end(), held_up_.begin(), held_up_.end());
  held_up_.clear();
}

/// The room of the data is free again.
void MemoryAwareRuntime::forget(WorkerState& worker, Index data) {
  worker.evict(data);
  tell_gone(worker, data);
}

/// Whoever keeps lists of what is there.
void MemoryAwareRuntime::tell_gone(const WorkerState& worker, Index data) {
  memory_.evict(worker.id(), DataId{data});
  if (!worker.in_host_memory()) eviction_->on_evicted(worker.id(), DataId{data});
  strategy_->on_evicted(worker.id(), DataId{data});
}

}  // namespace damocles
