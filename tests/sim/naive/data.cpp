// How data move: loads, room, outputs, and what tasks write.

#include <algorithm>
#include <utility>

#include "tests/sim/naive/rules.hpp"

namespace damocles::naive {

// --- Loads ---------------------------------------------------------------------------------------

/// While no more of its loads are on their way than the machine has ahead: all that the first
/// buffered task lacks that lacks any, as far as there is room: what it reads is asked for, what it
/// only writes gets room. Where no buffered task lacks any, the first hint.
void Run::start_loads(Processor& processor) {
  const std::uint64_t coming = state_.loads_coming(processor);
  if (coming > machine_.loads_ahead) return;
  for (std::size_t at = processor.running ? 1 : 0; at < processor.buffer.size(); ++at) {
    const Index task = processor.buffer[at];
    if (!state_.lacks_some(processor, task)) continue;
    const bool is_next = task == State::next_task(processor);
    const FetchReason reason = is_next ? FetchReason::next_task : FetchReason::later_task;
    for (const Index data : absent_of(processor, state_.wanted(processor, task))) {
      if (!make_room(processor, graph_.bytes(data), reason)) return;
      if (State::among(graph_.needed(task), data)) {
        load(processor, data, is_next);
      } else {
        take_in(processor, data, Presence::allocated);
      }
    }
    if (state_.loads_coming(processor) != coming) return;
  }
  fetch_next_hint(processor);
}

/// A prefetch hint for what is there, is being written or reduced into, or is of no use, is
/// fulfilled; one for which there is no room waits, and those behind it.
void Run::fetch_next_hint(Processor& processor) {
  while (!processor.hints.empty()) {
    const Index hint = processor.hints.front();
    const bool absent = state_.presence_of(processor, hint) == Presence::absent;
    if (absent && !state_.being_written(hint) && !state_.reducing[hint] && state_.of_use(hint)) {
      if (make_room(processor, graph_.bytes(hint), FetchReason::prefetch_hint))
        load(processor, hint, false);
      return;
    }
    processor.hints.erase(processor.hints.begin());
  }
}

/// From the processor with the fastest link or route that holds the data, unless host memory holds
/// it and is as fast; else from host memory, where it first has to return. A core needs no more
/// than that it returns.
void Run::load(Processor& processor, Index data, bool on_demand) {
  take_in(processor, data, Presence::coming);
  if (const auto lender = nearest_peer(processor, data)) {
    count_load(processor, data);
    ++trace_.loads_from_peers[processor.id];
    order({.what = Copy::What::load_from_peer,
           .memory = *processor.memory,
           .lender = *lender,
           .id = data,
           .bytes = bytes_of(data)});
  } else if (state_.home[data]) {
    load_from_home(processor, data, on_demand);
  } else {
    if (!state_.returns(data)) send_home(state_.holder(data), data);
    state_.waiting.push_back({data, processor.id, on_demand});
  }
}

void Run::load_from_home(Processor& processor, Index data, bool on_demand) {
  count_load(processor, data);
  order({.what = Copy::What::load,
         .memory = *processor.memory,
         .lender = 0,
         .id = data,
         .bytes = bytes_of(data),
         .wait_s = on_demand ? machine_.request_s : 0});
}

/// Of equal ones the lowest.
std::optional<std::size_t> Run::nearest_peer(const Processor& processor, Index data) const {
  if (!processor.memory) return std::nullopt;
  const ProcessorModel& gpu = machine_.processors[processor.id];
  const double bus =
      machine_.bus_rates.empty() ? machine_.bus_bytes_per_s : machine_.bus_rates.at(gpu.bus);
  double fastest = state_.home[data] ? std::min(bus, gpu.link_bytes_per_s) : 0;
  std::optional<std::size_t> nearest;
  for (std::size_t other = 0; other < state_.memories.size(); ++other) {
    const double rate = state_.network.rate_between(other, *processor.memory);
    if (state_.memories[other].data[data] != Presence::here || rate <= fastest) continue;
    fastest = rate;
    nearest = other;
  }
  return nearest;
}

void Run::count_load(const Processor& processor, Index data) {
  ++trace_.loads[processor.id];
  trace_.bytes_loaded[processor.id] += graph_.bytes(data);
  const auto last = std::find_if(departures_.rbegin(), departures_.rend(), [&](const auto& one) {
    return one.processor == processor.id && one.data == data;
  });
  auto& of_cause = last == departures_.rend() ? trace_.loads_first
                   : last->invalidated        ? trace_.loads_after_invalidation
                                              : trace_.loads_after_eviction;
  ++of_cause[processor.id];
  tell(Kind::load_started, processor, data, now_);
}

void Run::end_copy(const Copy& copy) {
  Processor& processor = state_.processors[copy.memory];
  interfere(processor, copy);
  switch (copy.what) {
    case Copy::What::load:
    case Copy::What::load_from_peer:
      return end_load(processor, copy);
    case Copy::What::output:
      return end_output(processor, static_cast<Index>(copy.id));
    case Copy::What::returned:
      return end_return(processor, static_cast<Index>(copy.id));
  }
}

void Run::end_load(Processor& processor, const Copy& copy) {
  const auto data = static_cast<Index>(copy.id);
  Presence& presence = state_.memories[copy.memory].data[data];
  tell(Kind::load_ended, processor, data, now_);
  if (copy.what == Copy::What::load_from_peer) {
    woken_.push_back(copy.lender);
    wake_held_up();
  }
  drop_if_over(data);
  if (presence == Presence::stale) {
    count_invalidation(processor, data);
    presence = Presence::absent;
    tell_gone(processor, data);
  } else {
    presence = Presence::here;
    strategy_->on_arrived(id_of(processor), DataId{data});
  }
  // A core may wait to write what has now been sent.
  if (machine_.any_in_host_memory()) wake_held_up();
  serve_after_end(processor);
}

/// The task that runs when a copy with host memory ends pays for it: a part of the copy's own time,
/// as large as the part of its way for which the processor computed.
void Run::interfere(Processor& processor, const Copy& copy) {
  if (copy.what == Copy::What::load_from_peer || !processor.running) return;
  if (processor.running->begin_s > now_) return;
  double beside_s = now_ - std::max(processor.running->begin_s, copy.turn_s);
  for (const auto& [from, until] : processor.computed) {
    beside_s += std::max(0.0, until - std::max(from, copy.turn_s));
  }
  const double way_s = now_ - copy.turn_s;
  const double longer_s = machine_.interference * machine_.copy_s(processor.id, copy.bytes) *
                          (way_s > 0 ? beside_s / way_s : 0);
  processor.running->end_s += longer_s;
  trace_.busy_s[processor.id] += longer_s;
}

// --- Room ----------------------------------------------------------------------------------------

/// Evicts until so much is free, or will be when what is leaving has left. False if nobody may
/// go, or while it leaves. In host memory there is room for everything.
bool Run::make_room(Processor& processor, std::uint64_t bytes, FetchReason reason) {
  if (!processor.memory) return true;
  const Asked asked(state_, processor, *strategy_, reason, bytes, expected_);
  while (state_.free_bytes(processor) + state_.leaving_bytes(processor) < bytes) {
    const auto victim = eviction_->victim(id_of(processor), asked);
    if (!victim) return false;
    evict(processor, static_cast<Index>(raw(*victim)));
  }
  return state_.free_bytes(processor) >= bytes;
}

/// What is modified, and a sum, first travels to host memory. Room alone is free at once.
void Run::evict(Processor& processor, Index data) {
  Presence& presence = state_.memories[*processor.memory].data[data];
  if (presence == Presence::allocated) {
    presence = Presence::absent;
    return tell_gone(processor, data);
  }
  if (state_.memories[*processor.memory].sums[data] || state_.modified(*processor.memory, data)) {
    presence = Presence::leaving;
    tell_gone(processor, data);
    send_home(*processor.memory, data);
    return;
  }
  count_eviction(processor, data);
  presence = Presence::absent;
  tell_gone(processor, data);
}

void Run::count_eviction(const Processor& processor, Index data) {
  ++trace_.evictions[processor.id];
  departures_.push_back({processor.id, data, false});
  tell(Kind::evicted, processor, data, now_);
}

void Run::count_invalidation(const Processor& processor, Index data) {
  ++trace_.invalidations[processor.id];
  departures_.push_back({processor.id, data, true});
  tell(Kind::evicted, processor, data, now_);
}

/// Its room is taken; in host memory it needs none.
void Run::take_in(Processor& processor, Index data, Presence presence) {
  if (processor.memory) state_.memories[*processor.memory].data[data] = presence;
  tell_here(processor, data);
}

/// Who keeps lists of what is there, or on its way. From host memory nothing is evicted.
void Run::tell_here(const Processor& processor, Index data) {
  told_memory_.load(id_of(processor), DataId{data});
  if (processor.memory) eviction_->on_loaded(id_of(processor), DataId{data});
  strategy_->on_loaded(id_of(processor), DataId{data});
}

void Run::tell_gone(const Processor& processor, Index data) {
  told_memory_.evict(id_of(processor), DataId{data});
  if (processor.memory) eviction_->on_evicted(id_of(processor), DataId{data});
  strategy_->on_evicted(id_of(processor), DataId{data});
}

std::vector<Index> Run::absent_of(const Processor& processor, std::span<const Index> some) const {
  std::vector<Index> absent;
  for (const Index data : some) {
    if (state_.presence_of(processor, data) == Presence::absent) absent.push_back(data);
  }
  return absent;
}

// --- Outputs that nobody reads -------------------------------------------------------------------

/// Those in free room leave when nothing else of the processor travels, or when loads have taken
/// the room.
void Run::send_outputs(Processor& processor) {
  auto& kept = processor.kept_outputs;
  while (!kept.empty() &&
         (state_.outputs_crowd(processor) ||
          (state_.loads_coming(processor) == 0 && processor.sent_outputs.empty()))) {
    send_output(processor, kept.front());
    kept.erase(kept.begin());
  }
}

void Run::send_output(Processor& processor, Index task) {
  processor.sent_outputs.push_back(task);
  order_output(processor, task);
}

void Run::order_output(const Processor& processor, Index task) {
  order({.what = Copy::What::output,
         .memory = *processor.memory,
         .lender = 0,
         .id = task,
         .bytes = static_cast<double>(graph_.output_bytes(task))});
}

void Run::end_output(Processor& processor, Index task) {
  trace_.bytes_written[processor.id] += graph_.output_bytes(task);
  if (needs_place(processor, task)) {
    std::erase(processor.placed_outputs, task);
    if (!processor.running || !processor.running->waits_for_place()) return;
    compute(processor, processor.running->task);
    return tell_begin(processor);
  }
  if (machine_.outputs_take_memory) trace_.makespan_s = now_;
  std::erase(processor.sent_outputs, task);
  serve_after_end(processor);
}

/// Data that it wrote for the last time, and that are to go home early: one after the other, when
/// nothing else of the processor goes there. What has gone meanwhile stays where it is.
void Run::send_early(Processor& processor) {
  while (!processor.early_home.empty() && !state_.sends_home(processor)) {
    const Index data = processor.early_home.front();
    processor.early_home.erase(processor.early_home.begin());
    const bool here = processor.memory && state_.presence_of(processor, data) == Presence::here;
    if (here && !state_.home[data] && !state_.returns(data) && !state_.reducing[data]) {
      send_home(*processor.memory, data);
    }
  }
}

// --- Data that tasks write -----------------------------------------------------------------------

/// Nothing that it writes may be on its way from a processor; where a core writes, from host memory
/// either. Sums that others send to host memory do not keep it from adding to its own.
bool Run::may_write(const Processor& processor, Index task) {
  bool may = true;
  for (const Index data : graph_.inputs(task)) {
    if (!state_.writes(task, data)) continue;
    if (!processor.memory && state_.being_sent(data)) may = false;
    if (state_.reduces_into(task, data)) {
      may = may_add(data) && may;
    } else if (state_.being_copied(data)) {
      may = false;
    }
  }
  return may;
}

/// Before the first adds host memory has to hold the data: they are sent there.
bool Run::may_add(Index data) {
  if (state_.reducing[data]) return true;
  const bool copied = state_.being_copied(data);
  if (state_.home[data]) return !copied;
  if (!state_.returns(data)) send_home(state_.holder(data), data);
  return false;
}

/// The first ends all copies. Cores add to what host memory has, all others to sums of their own.
void Run::begin_adding(const Processor& adding, Index data) {
  if (!state_.reducing[data]) {
    state_.reducing[data] = true;
    for (Processor& other : state_.processors) {
      if (other.memory && other.memory != adding.memory) invalidate(other, data);
    }
    if (adding.memory) leave_home(data);
    state_.home[data] = false;
  }
  if (adding.memory) state_.memories[*adding.memory].sums[data] = true;
}

/// A task may run that accesses it otherwise: all sums travel to host memory. Cores have it again
/// when the last has come.
void Run::end_reduction(Index data) {
  state_.reducing[data] = false;
  bool any = false;
  for (Processor& processor : state_.processors) {
    if (!processor.memory || !state_.memories[*processor.memory].sums[data]) continue;
    any = true;
    Presence& presence = state_.memories[*processor.memory].data[data];
    if (presence == Presence::leaving) continue;
    presence = Presence::leaving;
    tell_gone(processor, data);
    send_home(*processor.memory, data);
  }
  if (any) {
    if (state_.cores[data]) leave_home(data);
  } else {
    come_home(data);
  }
}

/// What it writes without reading, and is not there, is made there when it starts.
void Run::create_outputs(Processor& processor, Index task) {
  for (const Index data : graph_.inputs(task)) {
    const Presence presence = state_.presence_of(processor, data);
    if (presence == Presence::absent || presence == Presence::allocated) create(processor, data);
  }
}

void Run::create(Processor& processor, Index data) {
  if (!processor.memory) return come_home(data);
  Presence& presence = state_.memories[*processor.memory].data[data];
  if (presence == Presence::absent) tell_here(processor, data);
  presence = Presence::here;
  tell(Kind::created, processor, data, now_);
  strategy_->on_arrived(id_of(processor), DataId{data});
}

/// Data by data in the order of the task's accesses, processor by processor, cores last. What a
/// core writes is host memory's, and stays valid for all cores.
void Run::invalidate_other_copies(const Processor& writer, Index task) {
  for (const Index data : graph_.inputs(task)) {
    if (!state_.writes(task, data)) continue;
    if (state_.reduces_into(task, data)) {
      begin_adding(writer, data);
      continue;
    }
    for (Processor& other : state_.processors) {
      if (other.memory && other.memory != writer.memory) invalidate(other, data);
    }
    if (writer.memory) leave_home(data);
  }
}

void Run::invalidate(Processor& processor, Index data) {
  Presence& presence = state_.memories[*processor.memory].data[data];
  if (presence == Presence::coming) presence = Presence::stale;
  if (presence != Presence::here) return;
  count_invalidation(processor, data);
  presence = Presence::absent;
  tell_gone(processor, data);
  woken_.push_back(processor.id);
}

/// What cores have at the start: everything but temporary data.
void Run::show_home() {
  for (const Processor& processor : state_.processors) {
    for (Index data = 0; data < graph_.data() && !processor.memory; ++data) {
      if (!state_.cores[data]) continue;
      tell_here(processor, data);
      strategy_->on_arrived(id_of(processor), DataId{data});
    }
  }
}

/// All cores have the data from now on, those too that have not asked for it.
void Run::come_home(Index data) {
  for (const Processor& processor : state_.processors) {
    if (processor.memory || state_.cores[data]) continue;
    if (state_.presence_of(processor, data) == Presence::absent) tell_here(processor, data);
    strategy_->on_arrived(id_of(processor), DataId{data});
    woken_.push_back(processor.id);
  }
  state_.cores[data] = true;
  state_.home[data] = !state_.reducing[data];
}

/// A core is not woken: no room becomes free for it.
void Run::leave_home(Index data) {
  const bool had = state_.cores[data];
  state_.cores[data] = false;
  state_.home[data] = false;
  for (const Processor& processor : state_.processors) {
    if (!processor.memory && had) tell_gone(processor, data);
  }
}

void Run::send_home(std::size_t memory, Index data) {
  tell(Kind::return_started, state_.processors[memory], data, now_);
  order({.what = Copy::What::returned,
         .memory = memory,
         .lender = 0,
         .id = data,
         .bytes = bytes_of(data)});
}

void Run::end_return(Processor& processor, Index data) {
  tell(Kind::return_ended, processor, data, now_);
  trace_.bytes_written[processor.id] += graph_.bytes(data);
  if (machine_.write_back && machine_.outputs_take_memory) trace_.makespan_s = now_;
  Presence& presence = state_.memories[*processor.memory].data[data];
  if (presence == Presence::leaving) {
    presence = Presence::absent;
    state_.memories[*processor.memory].sums[data] = false;
    count_eviction(processor, data);
  }
  if (!state_.reducing[data] && !state_.returns(data)) come_home(data);
  if (!state_.home[data]) return wake_and_serve(processor);
  for (const Waiting& load : state_.waiting) {
    Processor& to = state_.processors[load.processor];
    if (load.data == data && to.memory) load_from_home(to, data, load.on_demand);
  }
  std::erase_if(state_.waiting, [&](const Waiting& load) { return load.data == data; });
  drop_if_over(data);
  wake_and_serve(processor);
}

void Run::wake_and_serve(Processor& processor) {
  wake_held_up();
  serve_after_end(processor);
}

void Run::wake_held_up() {
  woken_.insert(woken_.end(), held_up_.begin(), held_up_.end());
  held_up_.clear();
}

/// Temporary data go without a transfer after their last access: from every memory, host memory
/// included, when nothing is copied from a processor. Sums that nobody has asked for stay.
void Run::drop_if_over(Index data) {
  if (!state_.over(data) || state_.reducing[data] || state_.being_copied(data)) return;
  for (Processor& processor : state_.processors) {
    if (processor.memory) invalidate(processor, data);
  }
  leave_home(data);
}

/// All tasks have ended, and outputs travel back.
void Run::return_all() {
  for (Index data = 0; data < graph_.data(); ++data) {
    if (graph_.temporary(data)) continue;
    if (state_.reducing[data]) end_reduction(data);
    if (!state_.home[data] && !state_.returns(data)) send_home(state_.holder(data), data);
  }
}

// --- Books ---------------------------------------------------------------------------------------

double Run::bytes_of(Index data) const { return static_cast<double>(graph_.bytes(data)); }

void Run::tell(Kind kind, const Processor& processor, std::uint64_t id, double time_s) const {
  if (watcher_) watcher_({kind, time_s, id_of(processor), id});
}

}  // namespace damocles::naive
