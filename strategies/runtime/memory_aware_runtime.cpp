#include "strategies/runtime/memory_aware_runtime.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/platforms/routing_table.hpp"
#include "strategies/parts/resident_list.hpp"
#include "strategies/runtime/waits_for_inputs.hpp"

namespace damocles {
namespace {

/// Memory of this computer that a run takes at least [B].
double run_bytes(const Workload& workload, std::size_t processors, const StrategyEntry& entry) {
  constexpr double every_run = WorkerState::bytes_by_data + ResidentList::bytes_by_data + 1.0 / 8;
  return static_cast<double>(processors) *
         (static_cast<double>(workload.data()) * (every_run + entry.host_bytes.by_data) +
          static_cast<double>(workload.tasks()) * entry.host_bytes.by_task);
}

}  // namespace

MemoryAwareRuntime::MemoryAwareRuntime(const Workload& workload, const Platform& platform,
                                       const StrategyChoice& strategy, std::uint64_t seed,
                                       std::uint64_t replicate, const RuntimeOptions& options,
                                       ExecutionBackend& machine)
    : graph_(workload.graph()),
      limits_(*platform.limits),
      depth_(limits_.depth > 0           ? limits_.depth
             : strategy.entry->depth > 0 ? strategy.entry->depth
                                         : prefetch_depth(limits_, workload)),
      options_(options),
      machine_(machine),
      promise_(run_bytes(workload, platform.processors(), *strategy.entry),
               MemoryPromise::Others::wait_for),
      memory_(platform.processors(), workload.data()),
      ready_(graph_),
      any_in_host_memory_(limits_.any_in_host_memory()),
      starving_(platform.processors()),
      idle_(platform.processors()),
      only_asks_(platform.processors()) {
  refuse_heterogeneous(*strategy.entry, workload, platform);
  const auto bytes = memory_bytes(limits_, workload);
  if (limits_.has_peers()) {
    const RoutingTable routes(limits_);
    for (std::size_t from = 0; from < platform.processors(); ++from) {
      for (std::size_t to = 0; to < platform.processors(); ++to) {
        peer_rates_.push_back(routes.between(from, to).bytes_per_s);
      }
    }
  }
  if (graph_.writes()) coherence_.emplace(platform.processors(), graph_);
  refuse_unfit(workload, bytes, limits_.write_back && limits_.outputs_take_memory);
  making_s_ = timed([&] {
    strategy_ = strategy.make(
        {workload, platform, memory_, strategy.spec, Rng(seed, Draw::strategy, replicate), bytes});
  });
  patient_ = waits_for_inputs(strategy, *strategy_);
  const std::size_t processors = platform.processors();
  eviction_ =
      Table<EvictionEntry>::named(strategy.eviction())
          .make({processors, workload.data(), *strategy_, Rng(seed, Draw::eviction, replicate)});
  for (std::size_t p = 0; p < processors; ++p) {
    nodes_.emplace_back(
        ProcessorId{static_cast<std::uint32_t>(p)}, graph_, *strategy_, bytes[p],
        strategy.ready_buffer() ? WorkerState::Order::ready : WorkerState::Order::taken,
        limits_.gpus[p].in_host_memory, coherence_ ? &*coherence_ : nullptr);
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
    if (processor) take_hints_at_push(nodes_[raw(*processor)]);
  });
  // One task each, then a second: nobody fills its buffer before the others have asked. Where a
  // round brings nobody a task, no later one would.
  bool any = true;
  for (std::size_t tasks = 1; any && tasks <= depth_; ++tasks) {
    any = false;
    for (WorkerState& node : nodes_) {
      const std::size_t before = node.buffer().size();
      refill(node, std::min(tasks, depth(node)));
      any = any || node.buffer().size() > before;
    }
  }
  for (WorkerState& node : nodes_) serve(node);
}

void MemoryAwareRuntime::load_ended(ProcessorId processor, DataId data) {
  WorkerState& node = nodes_[raw(processor)];
  const auto arrived = static_cast<Index>(raw(data));
  --node.in_flight;
  if (!lenders_.empty()) end_lending(node, arrived);
  if (coherence_) drop_if_over(arrived);
  if (node.stale(arrived)) {
    machine_.invalidate(processor, data);
    forget(node, arrived);
  } else {
    node.end_load(arrived);
    if (coherence_) coherence_->arrived(processor, arrived);
    strategy_->on_arrived(processor, data);
  }
  if (any_in_host_memory_) wake_held_up();
  serve_all(node);
}

void MemoryAwareRuntime::task_ended(ProcessorId processor, TaskId task) {
  WorkerState& node = nodes_[raw(processor)];
  node.finish();
  const auto done = static_cast<Index>(raw(task));
  if (output_room(node, done) > 0) {
    start_write(node, done);
  } else if (output_bytes(node, done) > 0) {
    node.keep_output(done);
  }
  if (coherence_) end_accesses(done);
  strategy_->on_finished(processor, task);
  ready_.ended(done, [&](Index later) { tell_ready(later); });
  if (++ended_ == graph_.tasks() && coherence_ && limits_.write_back) return_all();
  if (std::exchange(any_may_get_one_, false)) share_out(node);
  serve_all(node);
}

void MemoryAwareRuntime::write_ended(ProcessorId processor, TaskId task) {
  WorkerState& node = nodes_[raw(processor)];
  --node.in_flight_out;
  node.release(output_room(node, static_cast<Index>(raw(task))));
  serve_all(node);
}

/// Everything the processor can begin now.
void MemoryAwareRuntime::serve(WorkerState& node) {
  if (waits_for_kernel(node)) return;
  if (!hinted_.empty()) hinted_.erase(node.id());
  refill(node, depth(node));
  // What would be fetched while the next task waits for room would have to go at once, again and
  // again.
  const bool has_room = start_tasks(node);
  if (waits_for_kernel(node)) return;
  if (has_room) {
    if (node.outputs_crowd()) send_outputs(node);
    start_loads(node);
  }
  send_outputs(node);
  only_asks_.set(raw(node.id()), node.only_asks());
}

/// Outputs kept in free room leave when nothing else travels, or when loads have taken the room.
void MemoryAwareRuntime::send_outputs(WorkerState& node) {
  while (node.keeps_outputs() &&
         (node.outputs_crowd() || node.in_flight + node.in_flight_out == 0)) {
    start_write(node, node.take_output());
  }
}

void MemoryAwareRuntime::start_write(WorkerState& node, Index task) {
  ++node.in_flight_out;
  machine_.start_write(node.id(), TaskId{task});
}

/// All that may begin now that something has ended on the processor.
void MemoryAwareRuntime::serve_all(WorkerState& node) {
  serve(node);
  serve_starved();
  serve_woken();
}

void MemoryAwareRuntime::tell_ready(Index task) {
  if (graph_.reduces()) end_reductions(task);
  if (const auto processor = strategy_->on_ready(TaskId{task})) {
    allotted_.insert(*processor);
    take_hints_at_push(nodes_[raw(*processor)]);
  } else {
    any_may_get_one_ = true;
  }
}

/// What the strategy asks ahead for takes the place of what it asked for ahead before.
void MemoryAwareRuntime::take_hints_at_push(WorkerState& node) {
  std::vector<DataId> hints;
  strategy_->prefetch_hints(node.id(), hints);
  if (hints.empty()) return;
  node.hints = std::move(hints);
  node.hints_done = 0;
  node.hinted_at_push = true;
  only_asks_.reset(raw(node.id()));
  hinted_.insert(node.id());
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
    boost::dynamic_bitset<> all = starving_;
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
      serve(nodes_[p]);
      leave_out();
    }
    return;
  }
  for (const ProcessorId processor : allotted) {
    if (starving_.test(raw(processor))) served.insert(processor);
  }
  for (const ProcessorId processor : served) serve(nodes_[raw(processor)]);
}

void MemoryAwareRuntime::serve_woken() {
  while (!woken_.empty()) {
    WorkerState& woken = nodes_[raw(woken_.back())];
    woken_.pop_back();
    serve(woken);
  }
}

/// Whether its driver waits for the running task, and does nothing else.
bool MemoryAwareRuntime::waits_for_kernel(const WorkerState& node) const {
  return !limits_.synchronous.empty() && !node.in_host_memory() && node.running() > 0 &&
         limits_.is_synchronous(graph_.kind_name(node.buffer().front()));
}

void MemoryAwareRuntime::refill(WorkerState& node, std::size_t tasks) {
  if (waits_for_kernel(node)) return;
  while (node.buffer().size() < tasks && !(patient_ && node.waits())) {
    if (node.granted.empty() && !ask(node)) return;
    node.buffer_task(node.granted.front());
    node.granted.pop_front();
  }
}

/// What was looked at since the last decision takes time.
void MemoryAwareRuntime::charge(const WorkerState& node) {
  const std::uint64_t inspected_items = strategy_->inspected_items();
  const double cost_s =
      limits_.decision_s *
      static_cast<double>(inspected_items - std::exchange(looked_at_, inspected_items));
  machine_.charge_decision_time(node.id(), cost_s);
  scheduling_s_ += cost_s;
}

/// True if the strategy granted a task.
bool MemoryAwareRuntime::ask(WorkerState& node) {
  starving_.reset(raw(node.id()));
  idle_.reset(raw(node.id()));
  std::vector<DataId> hints;
  do {
    grant_.clear();
    node.pending_overhead_s += timed([&] { strategy_->request(node.id(), grant_); });
    if (limits_.decision_s > 0) charge(node);
    hints.insert(hints.end(), grant_.loads.begin(), grant_.loads.end());
    if (grant_.tasks.empty() && hints.size() > 2 * graph_.data()) {
      throw NoProgress(fmt::format("the strategy sends processor {} data without end and no task",
                                   raw(node.id())));
    }
  } while (grant_.tasks.empty() && !grant_.loads.empty());
  // Whoever gets no task asks ahead for nothing either, as no task of its own would read it, but
  // for what it may be granted later.
  if (grant_.tasks.empty()) {
    if (!node.hinted_at_push) node.hints.clear();
    starving_.set(raw(node.id()));
    idle_.set(raw(node.id()), node.buffer().empty());
    return false;
  }
  node.hints = std::move(hints);
  node.hints_done = 0;
  node.hinted_at_push = false;
  grant_.tasks.for_each([&](TaskId task) {
    node.granted.push_back(static_cast<Index>(raw(task)));
    machine_.granted(node.id(), task);
  });
  return true;
}

/// False if there is no room for the output of the next task, which is ready.
bool MemoryAwareRuntime::start_tasks(WorkerState& node) {
  node.choose_next();
  while (node.running() < options_.lanes && node.next_task() && node.ready(*node.next_task())) {
    const Index task = *node.next_task();
    const std::uint64_t output = output_room(node, task);
    if (coherence_ && !may_write(node, task)) return true;
    const std::uint64_t room = output + (coherence_ ? created_bytes(node, task) : 0);
    if (room > 0 && !make_room(node, room, FetchReason::next_task)) return false;
    if (coherence_) {
      create(node, task);
      begin_writing(node, task);
    }
    node.reserve(output);
    node.start_next();
    if (!node.in_host_memory()) {
      for (const Index input : graph_.inputs(task)) eviction_->on_used(node.id(), DataId{input});
    }
    strategy_->on_started(node.id(), TaskId{task});
    const double pending_overhead_s = node.pending_overhead_s;
    node.pending_overhead_s = 0;
    for (const ProcessorId helper : strategy_->helpers(node.id(), TaskId{task})) {
      machine_.join(helper, TaskId{task});
    }
    machine_.start_task(node.id(), TaskId{task}, pending_overhead_s);
  }
  return true;
}

/// All missing inputs of the first buffered task that lacks some travel together, and what it only
/// writes gets room then; those of the next one follow when they have arrived.
void MemoryAwareRuntime::start_loads(WorkerState& node) {
  const std::size_t in_flight = node.in_flight;
  if (in_flight > options_.loads_ahead) return;
  while (node.in_flight == in_flight) {
    const auto task = node.first_lacking();
    if (!task) return fetch_next_hint(node);
    const bool is_next = *task == *node.next_task();
    const std::size_t needed = graph_.needed(*task).size();
    const auto inputs = graph_.inputs(*task);
    for (std::size_t at = 0; at < inputs.size(); ++at) {
      if (!node.absent(inputs[at])) continue;
      if (at >= needed && node.in_host_memory()) break;
      if (!make_room(node, graph_.bytes(inputs[at]),
                     is_next ? FetchReason::next_task : FetchReason::later_task)) {
        return;
      }
      if (at < needed) {
        load(node, inputs[at], is_next);
      } else {
        allocate(node, inputs[at]);
      }
    }
  }
}

void MemoryAwareRuntime::fetch_next_hint(WorkerState& node) {
  for (; node.hints_done < node.hints.size(); ++node.hints_done) {
    const auto data = static_cast<Index>(raw(node.hints[node.hints_done]));
    if (!node.absent(data)) continue;
    if (coherence_ && (coherence_->being_written(data) || coherence_->reducing(data) ||
                       !coherence_->of_use(data))) {
      continue;
    }
    if (make_room(node, graph_.bytes(data), FetchReason::prefetch_hint)) load(node, data, false);
    return;
  }
}

void MemoryAwareRuntime::load(WorkerState& node, Index data, bool on_demand) {
  take_in(node, data);
  ++node.in_flight;
  if (!peer_rates_.empty()) {
    if (WorkerState* const peer = nearest_peer(node, data)) {
      peer->pin(data);
      lenders_.emplace(std::pair(data, node.id()), peer->id());
      return machine_.start_peer_load(peer->id(), node.id(), DataId{data});
    }
  }
  if (!coherence_ || coherence_->in_host_memory(data)) return send(node, data, on_demand);
  if (!coherence_->returns(data)) send_home(nodes_[raw(coherence_->holder(data))], data);
  coherence_->wait_for_return(data, {node.id(), on_demand});
}

/// The data are the processor's from now on.
void MemoryAwareRuntime::take_in(WorkerState& node, Index data) {
  node.begin_load(data);
  tell_here(node, data);
}

/// Room for what a task will write is the processor's from now on.
void MemoryAwareRuntime::allocate(WorkerState& node, Index data) {
  node.allocate(data);
  tell_here(node, data);
}

/// Whoever keeps lists of what is there.
void MemoryAwareRuntime::tell_here(const WorkerState& node, Index data) {
  memory_.load(node.id(), DataId{data});
  if (!node.in_host_memory()) eviction_->on_loaded(node.id(), DataId{data});
  strategy_->on_loaded(node.id(), DataId{data});
}

void MemoryAwareRuntime::send(WorkerState& node, Index data, bool on_demand) {
  if (on_demand) {
    machine_.start_load_on_demand(node.id(), DataId{data});
  } else {
    machine_.start_load(node.id(), DataId{data});
  }
}

/// Evicts until `bytes` are free; false if the policy finds nobody (what it evicted stays so), or
/// if they will be when what is leaving has left.
bool MemoryAwareRuntime::make_room(WorkerState& node, std::uint64_t bytes, FetchReason reason) {
  node.seek_room_for(reason, bytes);
  while (node.free_bytes() + node.leaving_bytes() < bytes) {
    std::optional<DataId> victim;
    node.pending_overhead_s += timed([&] { victim = eviction_->victim(node.id(), node); });
    if (!victim) return false;
    evict(node, static_cast<Index>(raw(*victim)));
  }
  return node.free_bytes() >= bytes;
}

void MemoryAwareRuntime::evict(WorkerState& node, Index data) {
  if (node.allocated(data)) return forget(node, data);  // room alone
  if (coherence_ && coherence_->must_return(node.id(), data)) {
    node.begin_leaving(data);
    tell_gone(node, data);
    send_home(node, data);
    return;
  }
  if (coherence_) coherence_->dropped(node.id(), data);
  machine_.evict(node.id(), DataId{data});
  forget(node, data);
}

/// Whoever waited to write what was on its way looks again.
void MemoryAwareRuntime::wake_held_up() {
  woken_.insert(woken_.end(), held_up_.begin(), held_up_.end());
  held_up_.clear();
}

/// The room of the data is free again.
void MemoryAwareRuntime::forget(WorkerState& node, Index data) {
  node.evict(data);
  tell_gone(node, data);
}

/// Whoever keeps lists of what is there.
void MemoryAwareRuntime::tell_gone(const WorkerState& node, Index data) {
  memory_.evict(node.id(), DataId{data});
  if (!node.in_host_memory()) eviction_->on_evicted(node.id(), DataId{data});
  strategy_->on_evicted(node.id(), DataId{data});
}

/// The processor from which the data would come soonest, nothing where that is home.
WorkerState* MemoryAwareRuntime::nearest_peer(const WorkerState& node, Index data) {
  const std::size_t to = raw(node.id());
  const bool home = !coherence_ || coherence_->in_host_memory(data);
  double fastest = home ? limits_.home_rate(to) : 0;
  WorkerState* nearest = nullptr;
  memory_.for_each_holder(DataId{data}, [&](ProcessorId other) {
    const double rate = peer_rates_[raw(other) * nodes_.size() + to];
    if (!(rate > fastest) || !nodes_[raw(other)].resident(data)) return;
    fastest = rate;
    nearest = &nodes_[raw(other)];
  });
  return nearest;
}

/// Who lent the data that came to the processor may let it go, and write it.
void MemoryAwareRuntime::end_lending(const WorkerState& node, Index data) {
  const auto lender = lenders_.find({data, node.id()});
  if (lender == lenders_.end()) return;
  nodes_[raw(lender->second)].unpin(data);
  woken_.push_back(lender->second);
  wake_held_up();
  lenders_.erase(lender);
}

}  // namespace damocles
