// Who is served when, what a served processor begins, and how tasks run.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/platforms/noise.hpp"
#include "models/rng.hpp"
#include "strategies/parts/known_order.hpp"
#include "strategies/runtime/waits_for_inputs.hpp"
#include "tests/sim/naive/rules.hpp"
#include "tests/sim/naive/run.hpp"

namespace damocles::naive {
namespace {

/// Before which a processor's copies with host memory do not begin [s]: up to 10 us late, at
/// random.
std::vector<double> starts_s(const MachineModel& machine, std::uint64_t seed,
                             std::uint64_t replicate) {
  std::vector<double> result(machine.processors.size(), 0);
  Rng rng(seed, Draw::start_order, replicate);
  if (machine.jitter_of() == 0) return result;
  for (double& start : result) start = 10e-6 * rng.uniform();
  return result;
}

/// What host memory holds at first, by data: all but temporary data.
std::vector<bool> at_first(const TaskGraph& graph) {
  std::vector<bool> result;
  for (Index data = 0; data < graph.data(); ++data) result.push_back(!graph.temporary(data));
  return result;
}

State first_state(const Workload& workload, const Platform& platform, std::uint64_t seed,
                  std::uint64_t replicate) {
  const TaskGraph& graph = workload.graph();
  const MachineModel& machine = *platform.machine;
  State state{.graph = graph,
              .machine = machine,
              .memories = {},
              .processors = {},
              .home = at_first(graph),
              .cores = at_first(graph),
              .reducing = std::vector<bool>(graph.data(), false),
              .ready = std::vector<bool>(graph.tasks(), false),
              .granted = std::vector<bool>(graph.tasks(), false),
              .ended = std::vector<bool>(graph.tasks(), false),
              .waiting = {},
              .network = Network(machine, starts_s(machine, seed, replicate))};
  for (const std::uint64_t bytes : memory_bytes(machine, workload)) {
    Processor processor;
    processor.id = state.processors.size();
    // Cores come last, so that a memory has the number of its processor.
    if (!machine.processors[processor.id].in_host_memory) {
      processor.memory = processor.id;
      state.memories.push_back({bytes, std::vector<Presence>(graph.data(), Presence::absent),
                                std::vector<bool>(graph.data(), false)});
    }
    state.processors.push_back(processor);
  }
  return state;
}

}  // namespace

Trace simulate(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
               std::uint64_t seed, std::uint64_t replicate, const Watcher& watcher) {
  refuse_unlimited(workload);
  const MachineModel& machine = *platform.machine;
  refuse_unfit(workload, machine, memory_bytes(machine, workload),
               machine.write_back && machine.outputs_take_memory);
  return Run(workload, platform, strategy, seed, replicate, watcher).run();
}

Run::Run(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
         std::uint64_t seed, std::uint64_t replicate, const Watcher& watcher)
    : graph_(workload.graph()),
      machine_(*platform.machine),
      state_(first_state(workload, platform, seed, replicate)),
      durations_(workload, platform),
      seed_(seed),
      replicate_(replicate),
      watcher_(watcher),
      told_memory_(platform.processors(), workload.data()),
      strategy_(
          choice.make({workload, platform, told_memory_, choice.spec,
                       Rng(seed, Draw::strategy, replicate), memory_bytes(machine_, workload)})),
      eviction_(Table<EvictionEntry>::named(choice.eviction())
                    .make({platform.processors(), workload.data(), *strategy_,
                           Rng(seed, Draw::eviction, replicate)})),
      ready_buffer_(choice.ready_buffer()),
      patient_(waits_for_inputs(choice, *strategy_)),
      depth_(machine_.depth > 0        ? machine_.depth
             : choice.entry->depth > 0 ? choice.entry->depth
                                       : prefetch_depth(machine_, workload)),
      decided_s_(workload.tasks(), 0) {
  if (Table<EvictionEntry>::named(choice.eviction()).by_next_use && !strategy_->knows_all_uses() &&
      (graph_.ordered() || order_is_known(choice, workload, platform))) {
    expected_ = order_alone(choice, graph_);
  }
  const std::size_t processors = platform.processors();
  for (auto* const counts :
       {&trace_.loads, &trace_.tasks, &trace_.bytes_loaded, &trace_.bytes_written,
        &trace_.evictions, &trace_.invalidations, &trace_.loads_first, &trace_.loads_after_eviction,
        &trace_.loads_after_invalidation}) {
    counts->resize(processors);
  }
  trace_.busy_s.resize(processors);
  if (machine_.has_peers()) trace_.loads_from_peers.resize(processors);
}

Trace Run::run() {
  start();
  while (true) {
    const double copies_s = state_.network.next_time();
    const double tasks_s = next_task_end_s();
    if (copies_s == never && tasks_s == never) break;
    // At one time copies end before tasks do.
    if (copies_s <= tasks_s) {
      now_ = copies_s;
      if (const auto ended = state_.network.advance()) end_copy(*ended);
    } else {
      now_ = tasks_s;
      end_task();
    }
  }
  if (std::count(state_.ended.begin(), state_.ended.end(), false) > 0) {
    throw NoProgress("the strategy stopped before all tasks ran");
  }
  return trace_;
}

// --- Who is asked when ---------------------------------------------------------------------------

/// All data are there for cores. Tasks that wait for nobody, and for no turn, are ready, in the
/// order of submission. All processors ask for a first task in the order of their ids, then for a
/// second, and so on, until nobody gets one; then all are served in the order of their ids.
void Run::start() {
  show_home();
  if (graph_.ordered()) {
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if (!becomes_ready(task)) continue;
      const auto only = strategy_->on_ready(TaskId{task});
      if (only) take_hints_at_push(state_.processors[raw(*only)]);
    }
  }
  for (std::size_t tasks = 1; tasks <= depth_; ++tasks) {
    bool any = false;
    for (Processor& processor : state_.processors) {
      const std::size_t before = processor.buffer.size();
      fill_buffer(processor, std::min(tasks, depth(processor)));
      any = any || processor.buffer.size() > before;
    }
    if (!any) break;
  }
  for (Processor& processor : state_.processors) serve(processor);
}

/// Tasks were released that any processor may have. Those that starve, by id, and then `ender`,
/// which released them, take them one at a time; whoever has the fewest tasks goes first. Who gets
/// nothing is asked no more.
void Run::share_out(Processor& ender) {
  std::vector<Processor*> takers;
  for (Processor& processor : state_.processors) {
    if (processor.starving && processor.id != ender.id) takers.push_back(&processor);
  }
  takers.push_back(&ender);
  for (std::size_t tasks = 1; tasks <= depth_; ++tasks) {
    std::erase_if(takers, [&](Processor* taker) {
      const std::size_t before = taker->buffer.size();
      if (before >= tasks) return false;
      fill_buffer(*taker, std::min(tasks, depth(*taker)));
      if (taker->buffer.size() == before) return true;
      if (taker != &ender) taker->has_new_tasks = true;
      return false;
    });
  }
}

/// Whatever ended: first its processor is served; then those that got nothing, where there may be
/// something for them now, and those that were given hints or tasks and not served since, in the
/// order of their ids; then those whose data or copies changed by what others did, the last of them
/// first.
void Run::serve_after_end(Processor& processor) {
  serve(processor);
  serve_starving();
  while (!woken_.empty()) {
    Processor& woken = state_.processors[woken_.back()];
    woken_.pop_back();
    serve(woken);
  }
}

void Run::serve_starving() {
  if (strategy_->consume_wakeup()) any_may_get_one_ = true;
  const bool any = std::exchange(any_may_get_one_, false);
  std::vector<std::size_t> asked;
  for (Processor& processor : state_.processors) {
    const bool may_get_one = std::exchange(processor.allotted, false) || any;
    if ((may_get_one && processor.starving) || processor.hints_are_new || processor.has_new_tasks) {
      asked.push_back(processor.id);
    }
  }
  for (const std::size_t processor : asked) serve(state_.processors[processor]);
}

/// Whether a task runs there of a kind for which its driver waits: it takes no task then, and
/// begins no copy. Cores have no driver.
bool Run::waits_for_kernel(const Processor& processor) const {
  return processor.memory && processor.running &&
         machine_.is_synchronous(graph_.kind_name(processor.running->task));
}

/// Everything that the processor can begin now.
void Run::serve(Processor& processor) {
  if (waits_for_kernel(processor)) return;
  processor.hints_are_new = false;
  processor.has_new_tasks = false;
  fill_buffer(processor, depth(processor));
  // What would be fetched while the next task waits for room would have to go at once, again and
  // again.
  const bool has_room = start_task(processor);
  if (waits_for_kernel(processor)) return;
  if (!has_room) {
    send_outputs(processor);
    return send_early(processor);
  }
  if (state_.outputs_crowd(processor)) send_outputs(processor);
  start_loads(processor);
  send_outputs(processor);
  send_early(processor);
}

/// A core has no buffer beyond the task that it runs.
std::size_t Run::depth(const Processor& processor) const { return processor.memory ? depth_ : 1; }

/// Takes tasks into the buffer until it has `tasks`; under a patient strategy only while the
/// inputs of all that it has are there.
void Run::fill_buffer(Processor& processor, std::size_t tasks) {
  if (waits_for_kernel(processor)) return;
  while (processor.buffer.size() < tasks && !(patient_ && state_.buffer_waits(processor))) {
    if (processor.granted.empty()) ask(processor);
    if (processor.granted.empty()) return;
    processor.buffer.push_back(processor.granted.front());
    processor.granted.erase(processor.granted.begin());
  }
}

/// Asks the strategy, again while it grants data and no task. The data of a grant with tasks are
/// the processor's hints in the place of those it had; a grant without ends those of a grant.
void Run::ask(Processor& processor) {
  Grant grant;
  std::vector<Index> hints;
  do {
    grant.clear();
    strategy_->request(id_of(processor), grant);
    if (machine_.decision_s > 0) take_time_for_decision(processor);
    for (const DataId data : grant.loads) {
      hints.push_back(static_cast<Index>(raw(data)));
    }
    if (hints.size() > 2 * graph_.data() && grant.tasks.empty()) {
      throw NoProgress("the strategy sends data without end and no task");
    }
  } while (grant.tasks.empty() && !grant.loads.empty());
  processor.starving = grant.tasks.empty();
  if (!processor.starving) {
    processor.hints = hints;
    processor.hinted_at_push = false;
  } else if (!processor.hinted_at_push) {
    processor.hints.clear();
  }
  grant.tasks.for_each([&](TaskId task) {
    processor.granted.push_back(static_cast<Index>(raw(task)));
    state_.granted[raw(task)] = true;
    decided_s_[raw(task)] = deciding_until_s_;
    tell(Kind::granted, processor, raw(task), std::max(now_, deciding_until_s_));
  });
}

/// Decisions of all processors follow one another; who waits for another one's goes on a little
/// later.
void Run::take_time_for_decision(const Processor& processor) {
  const std::uint64_t inspected_items = strategy_->inspected_items();
  const double cost_s = machine_.decision_s * static_cast<double>(inspected_items - looked_at_);
  looked_at_ = inspected_items;
  if (deciding_until_s_ > now_ && decided_for_ != id_of(processor)) {
    deciding_until_s_ += machine_.handover_s;
  }
  decided_for_ = id_of(processor);
  deciding_until_s_ = std::max(deciding_until_s_, now_) + cost_s;
  trace_.scheduling_s += cost_s;
}

// --- Tasks ---------------------------------------------------------------------------------------

/// Starts the next task if it can start. False if only room is missing: for its output, or for
/// what it writes without reading.
bool Run::start_task(Processor& processor) {
  auto next = State::next_task(processor);
  if (ready_buffer_ && next && !state_.has_inputs(processor, *next)) {
    bring_readiest_forward(processor);
    next = State::next_task(processor);
  }
  if (processor.running || !next || !state_.has_inputs(processor, *next)) return true;
  if (!may_write(processor, *next)) {
    held_up_.push_back(processor.id);
    return true;
  }
  std::uint64_t bytes = state_.output_room(processor, *next);
  for (const Index data : absent_of(processor, graph_.inputs(*next))) bytes += graph_.bytes(data);
  if (bytes > 0 && !make_room(processor, bytes, FetchReason::next_task)) return false;
  create_outputs(processor, *next);
  invalidate_other_copies(processor, *next);
  compute(processor, *next);
  if (ready_buffer_) bring_readiest_forward(processor);
  for (const Index data : graph_.inputs(*next)) {
    if (processor.memory) eviction_->on_used(id_of(processor), DataId{data});
  }
  strategy_->on_started(id_of(processor), TaskId{*next});
  if (!processor.running->waits_for_place()) tell_begin(processor);
  return true;
}

/// Of the buffered tasks that do not run, the one that lacks the fewest bytes goes first, those
/// on their way included; of equal ones that which lacks the fewest that are not; then the one
/// taken first. The others keep their order.
void Run::bring_readiest_forward(Processor& processor) {
  const auto lack = [&](Index task) {
    std::uint64_t missing = 0;
    std::uint64_t not_coming = 0;
    for (const Index input : graph_.needed(task)) {
      const Presence presence = state_.presence_of(processor, input);
      if (presence != Presence::here) missing += graph_.bytes(input);
      if (presence == Presence::absent) not_coming += graph_.bytes(input);
    }
    return std::pair(missing, not_coming);
  };
  const auto first = processor.buffer.begin() + (processor.running ? 1 : 0);
  const auto readiest = std::min_element(first, processor.buffer.end(),
                                         [&](Index a, Index b) { return lack(a) < lack(b); });
  if (readiest == processor.buffer.end()) return;
  std::rotate(first, readiest, readiest + 1);
}

void Run::tell_begin(const Processor& processor) {
  tell(Kind::task_started, processor, processor.running->task, processor.running->begin_s);
}

/// Whether its output goes to a place beside the memory.
bool Run::needs_place(const Processor& processor, Index task) const {
  return machine_.output_places > 0 && processor.memory && graph_.output_bytes(task) > 0;
}

/// From now on, or from when it has been decided, if that is later. Whom the strategy names
/// computes it too. Without a place for its output it waits for one.
void Run::compute(Processor& processor, Index task) {
  if (needs_place(processor, task) && processor.placed_outputs.size() == machine_.output_places) {
    processor.running = Running{task, never, never, {}};
    return;
  }
  const auto helpers = strategy_->helpers(id_of(processor), TaskId{task});
  const double busy_s = duration_s(processor, task, 1 + helpers.size());
  const double begin_s = std::max(now_, decided_s_[task]);
  processor.running =
      Running{task, begin_s, begin_s + busy_s, std::vector(helpers.begin(), helpers.end())};
  for (const ProcessorId helper : helpers) {
    trace_.busy_s[raw(helper)] += busy_s;
    tell(Kind::joined, state_.processors[raw(helper)], task, begin_s);
  }
  trace_.busy_s[processor.id] += busy_s;
  ++trace_.tasks[processor.id];
}

/// S(k) of so many cores, by the law that names the kind of the task, or else by the one that names
/// none.
double Run::speedup(const Processor& processor, Index task, std::size_t cores) const {
  const Speedup* law = nullptr;
  for (const Speedup& one : machine_.processors[processor.id].speedups) {
    const bool names_it = !one.kind.empty() && one.kind == graph_.kind_name(task);
    if (names_it || (law == nullptr && one.kind.empty())) law = &one;
  }
  const auto k = static_cast<double>(cores);
  if (law->law == Speedup::Law::table) return law->table.at(cores - 1);
  if (law->law == Speedup::Law::power) return std::exp(law->parameter * std::log(k));
  return 1 / (law->parameter + (1 - law->parameter) / k);
}

/// What is expected, the overhead apart, times the noise of the task, over the speed-up of those
/// who compute it; with the overhead times its jitter. Both are drawn for the task, whatever the
/// processor.
double Run::duration_s(const Processor& processor, Index task, std::size_t cores) const {
  double result_s = durations_.s(processor.id, task);
  if (machine_.noise) {
    const double sigma = machine_.noise->sigma;
    const double z = normal_of_task(seed_, replicate_, task);
    result_s = (result_s - machine_.overhead_s) * std::exp(sigma * z - sigma * sigma / 2) +
               machine_.overhead_s;
  }
  if (cores > 1) {
    result_s =
        (result_s - machine_.overhead_s) / speedup(processor, task, cores) + machine_.overhead_s;
  }
  const double most = machine_.jitter_of();
  if (most > 0) result_s *= 1 + most * Rng(seed_, Draw::duration, replicate_, task).uniform();
  return result_s;
}

double Run::next_task_end_s() const {
  double next = never;
  for (const Processor& processor : state_.processors) {
    if (processor.running) next = std::min(next, processor.running->end_s);
  }
  return next;
}

/// Of those that end now, that of the lowest processor.
void Run::end_task() {
  Processor& processor = *std::find_if(
      state_.processors.begin(), state_.processors.end(),
      [&](const Processor& each) { return each.running && each.running->end_s == now_; });
  const Index task = processor.running->task;
  tell(Kind::task_ended, processor, task, now_);
  for (const ProcessorId helper : processor.running->helpers) {
    tell(Kind::left, state_.processors[raw(helper)], task, now_);
  }
  trace_.makespan_s = now_;
  processor.computed.emplace_back(processor.running->begin_s, now_);
  processor.running.reset();
  processor.buffer.erase(processor.buffer.begin());
  if (needs_place(processor, task)) {
    processor.placed_outputs.push_back(task);
    order_output(processor, task);
  }
  if (state_.output_room(processor, task) > 0) {
    send_output(processor, task);
  } else if (state_.output_bytes(processor, task) > 0) {
    processor.kept_outputs.push_back(task);
  }
  state_.ended[task] = true;
  for (const Index data : graph_.inputs(task)) {
    if (graph_.early_home(data) && state_.wrote_last(task, data)) {
      processor.early_home.push_back(data);
    }
    drop_if_over(data);
  }
  strategy_->on_finished(id_of(processor), TaskId{task});
  for (Index later = 0; graph_.ordered() && later < graph_.tasks(); ++later) {
    if (becomes_ready(later)) tell_ready(later);
  }
  if (machine_.write_back && std::count(state_.ended.begin(), state_.ended.end(), false) == 0) {
    return_all();
  }
  if (std::exchange(any_may_get_one_, false)) share_out(processor);
  serve_after_end(processor);
}

/// Whether it is, and was not before.
bool Run::becomes_ready(Index task) {
  if (state_.ready[task] || state_.waits_for_others(task) || state_.waits_for_its_turn(task)) {
    return false;
  }
  state_.ready[task] = true;
  for (const Index data : graph_.inputs(task)) {
    if (state_.reducing[data] && !state_.reduces_into(task, data)) end_reduction(data);
  }
  return true;
}

void Run::tell_ready(Index task) {
  if (const auto only = strategy_->on_ready(TaskId{task})) {
    state_.processors[raw(*only)].allotted = true;
    take_hints_at_push(state_.processors[raw(*only)]);
  } else {
    any_may_get_one_ = true;
  }
}

/// A task became ready that only this processor may have: what the strategy asks ahead for takes
/// the place of all that it asked for ahead.
void Run::take_hints_at_push(Processor& processor) {
  std::vector<DataId> loads;
  strategy_->prefetch_hints(id_of(processor), loads);
  if (loads.empty()) return;
  processor.hints.clear();
  for (const DataId data : loads) processor.hints.push_back(static_cast<Index>(raw(data)));
  processor.hinted_at_push = true;
  processor.hints_are_new = true;
}

}  // namespace damocles::naive
