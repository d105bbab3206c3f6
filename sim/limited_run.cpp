#include "sim/limited_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "models/cache_hint.hpp"
#include "models/error.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/energy.hpp"
#include "models/runs/load_causes.hpp"
#include "models/short_queue.hpp"
#include "sim/copy_streams.hpp"
#include "sim/event_queue.hpp"
#include "sim/interference.hpp"
#include "sim/jitter.hpp"
#include "sim/peer_links.hpp"
#include "sim/run_share.hpp"
#include "strategies/runtime/memory_aware_runtime.hpp"
#include "strategies/runtime/replay_runtime.hpp"
#include "strategies/runtime/team_work.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

/// Processors and bus in virtual time.
class VirtualTimeBackend final : public ExecutionBackend {
 public:
  VirtualTimeBackend(const Workload& workload, const Platform& platform, Durations durations,
                     const Watcher& watcher, const Jitter& jitter)
      : graph_(workload.graph()),
        machine_(*platform.machine),
        durations_(std::move(durations)),
        powers_(workload, platform),
        watcher_(watcher),
        jitter_(jitter),
        copies_(machine_, jitter.starts_s(machine_.processors.size())),
        routes_(machine_),
        peers_(routes_.lines()),
        computing_(machine_.processors.size()),
        running_(machine_.processors.size()),
        teams_(workload, platform),
        interference_(machine_),
        many_(machine_.processors.size() >= 1024),
        places_taken_(machine_.processors.size(), 0),
        waits_for_place_(machine_.processors.size(), false),
        pending_overhead_s_(machine_.processors.size(), 0),
        decided_s_(machine_.decision_s > 0 ? graph_.tasks() : 0, 0),
        causes_(machine_.processors.size(), graph_.data(), graph_.writes(), trace_) {
    if (share_ != nullptr) share_->begin(graph_.tasks());
    const std::size_t processors = machine_.processors.size();
    trace_.loads.resize(processors);
    trace_.tasks.resize(processors);
    trace_.busy_s.resize(processors);
    trace_.bytes_loaded.resize(processors);
    trace_.bytes_written.resize(processors);
    if (machine_.has_peers()) trace_.loads_from_peers.resize(processors);
    if (powers_.known()) trace_.compute_j.resize(processors);
  }

  [[nodiscard]] RunSoFar so_far() const { return {&trace_, &now_}; }

  /// Runs until nothing happens any more.
  Trace run(Runtime& runtime, double start_s) {
    now_ = start_s;
    runtime.start();
    while (true) {
      const double transfer = std::min(copies_.next_time(), peers_.next_time());
      if (transfer == std::numeric_limits<double>::infinity() && computing_.empty()) break;
      // Transfers first: a task that starts now may need what arrives now.
      if (computing_.empty() || transfer <= computing_.next_time()) {
        end_transfer(runtime);
      } else {
        end_task(runtime);
      }
    }
    if (ended_ != graph_.tasks()) {
      throw NoProgress(
          fmt::format("the strategy ran {} of {} tasks and stopped", ended_, graph_.tasks()));
    }
    return std::move(trace_);
  }

  void charge_decision_time(ProcessorId for_whom, double cost_s) override {
    // Who waited for another one is woken, and late.
    if (deciding_until_s_ > now_ && decided_for_ != for_whom) {
      deciding_until_s_ += machine_.handover_s;
    }
    decided_for_ = for_whom;
    deciding_until_s_ = std::max(deciding_until_s_, now_) + cost_s;
  }

  void granted(ProcessorId processor, TaskId task) override {
    if (!decided_s_.empty()) decided_s_[raw(task)] = deciding_until_s_;
    // Known when it has been decided: until then the processor has no work.
    tell(Kind::granted, processor, raw(task),
         decided_s_.empty() ? now_ : std::max(now_, deciding_until_s_));
  }

  void start_load(ProcessorId processor, DataId data) override { load(processor, data, 0); }

  void start_peer_load(ProcessorId from, ProcessorId to, DataId data) override {
    const double bytes = count_load(to, data, from);
    ++trace_.loads_from_peers[raw(to)];
    const PeerPath path = routes_.between(raw(from), raw(to));
    if (path.over == PeerPath::Over::links)
      return peers_.order({from, to, data}, path, bytes, now_);
    order({.processor = to, .lender = from, .id = raw(data), .bytes = bytes, .from_peer = true});
  }

  void start_load_on_demand(ProcessorId processor, DataId data) override {
    load(processor, data, machine_.request_s);
  }

  void evict(ProcessorId processor, DataId data) override {
    causes_.evict(processor, data, trace_);
    tell(Kind::evicted, processor, raw(data));
  }

  void invalidate(ProcessorId processor, DataId data) override {
    causes_.invalidate(processor, data, trace_);
    tell({.kind = Kind::evicted,
          .time_s = now_,
          .processor = processor,
          .id = raw(data),
          .overwritten = true});
  }

  void create(ProcessorId processor, DataId data) override {
    tell(Kind::created, processor, raw(data));
  }

  void start_return(ProcessorId processor, DataId data) override {
    tell(Kind::return_started, processor, raw(data));
    order({.processor = processor,
           .id = raw(data),
           .bytes = static_cast<double>(graph_.bytes(static_cast<Index>(raw(data)))),
           .out = true,
           .returning = true});
  }

  void join(ProcessorId helper, TaskId) override { teams_.join(helper); }

  void start_task(ProcessorId processor, TaskId task, double pending_overhead_s) override {
    const std::size_t p = raw(processor);
    teams_.start(processor, task, [&](ProcessorId other) {
      const auto& own = running_[raw(other)];
      return own.empty() ? std::nullopt : std::optional(own.front());
    });
    pending_overhead_s_[p] += pending_overhead_s;
    running_[p].push_back(task);
    if (running_[p].size() == 1) compute(processor);
  }

  void start_write(ProcessorId processor, TaskId task) override {
    order({.processor = processor,
           .id = raw(task),
           .bytes = static_cast<double>(output_bytes(task)),
           .out = true});
  }

 private:
  void tell(Kind kind, ProcessorId processor, std::uint64_t id) const {
    tell(kind, processor, id, now_);
  }
  void tell(Kind kind, ProcessorId processor, std::uint64_t id, double time_s) const {
    tell({.kind = kind, .time_s = time_s, .processor = processor, .id = id});
  }
  void tell(const RunEvent& event) const {
    if (watcher_) watcher_(event);
  }

  void load(ProcessorId processor, DataId data, double wait_s) {
    order({.processor = processor,
           .id = raw(data),
           .bytes = count_load(processor, data),
           .wait_s = wait_s});
  }

  /// Its size [B].
  double count_load(ProcessorId processor, DataId data,
                    std::optional<ProcessorId> lender = std::nullopt) {
    const std::size_t p = raw(processor);
    const std::uint64_t bytes = graph_.bytes(static_cast<Index>(raw(data)));
    ++trace_.loads[p];
    trace_.bytes_loaded[p] += bytes;
    causes_.load(processor, data, trace_);
    tell({.kind = Kind::load_started,
          .time_s = now_,
          .processor = processor,
          .id = raw(data),
          .lender = lender});
    return static_cast<double>(bytes);
  }

  void order(const CopyStreams::Copy& copy) {
    copies_.order(copy, now_);
    if (machine_.interference > 0) interference_.copy_asked_for(copy, now_);
  }

  /// The oldest task of the processor begins, once there is a place for its output.
  void compute(ProcessorId processor) {
    const std::size_t p = raw(processor);
    const TaskId task = running_[p].front();
    if (!take_place(p, task)) return;
    if (!durations_.runs(p, static_cast<Index>(raw(task)))) {
      throw NoProgress(fmt::format("the strategy gave task {} to {}, which cannot run it",
                                   graph_.task_name(static_cast<Index>(raw(task))),
                                   processor_name(machine_, p)));
    }
    const auto& helpers = teams_.helpers(task);
    const double busy = together_s(processor, task, helpers) * jitter_.factor(task);
    // Ordered now; begun where its decision ends, if that is later.
    const double begin_s = start_s(p, task);
    for (const ProcessorId helper : helpers) {
      tell(Kind::joined, helper, raw(task), begin_s);
      count_busy(raw(helper), task, busy);
    }
    tell(Kind::task_started, processor, raw(task), begin_s);
    count_busy(p, task, busy);
    ++trace_.tasks[p];
    interference_.task_begins(p, begin_s);
    computing_.set(processor, begin_s + busy);
  }

  /// Whether the task needs no place beside the memory for its output, or has got one.
  bool take_place(std::size_t p, TaskId task) {
    if (!needs_place(p, task)) return true;
    waits_for_place_[p] = places_taken_[p] == machine_.output_places;
    if (waits_for_place_[p]) return false;
    ++places_taken_[p];
    return true;
  }
  [[nodiscard]] bool needs_place(std::size_t p, TaskId task) const {
    return machine_.output_places > 0 && !machine_.processors[p].in_host_memory &&
           output_bytes(task) > 0;
  }
  /// An output is in host memory: another task may begin.
  void free_place(ProcessorId processor, TaskId task) {
    const std::size_t p = raw(processor);
    trace_.bytes_written[p] += output_bytes(task);
    --places_taken_[p];
    if (waits_for_place_[p]) compute(processor);
  }

  /// The task on its processor and those that have joined it.
  [[nodiscard]] double together_s(ProcessorId processor, TaskId task,
                                  const std::vector<ProcessorId>& helpers) const {
    const auto index = static_cast<Index>(raw(task));
    const std::size_t p = raw(processor);
    if (helpers.empty()) return durations_.s(p, index);
    const bool alike = std::all_of(helpers.begin(), helpers.end(), [&](ProcessorId helper) {
      return durations_.teams().alike(p, raw(helper));
    });
    if (!alike || 1 + helpers.size() > durations_.teams().most(p, index)) {
      throw NoProgress(
          fmt::format("the strategy has {} processors compute task {}, which cannot together: {}{}",
                      1 + helpers.size(), graph_.task_name(index), processor_name(machine_, p),
                      names(helpers)));
    }
    return durations_.s(p, index, 1 + helpers.size());
  }
  [[nodiscard]] std::string names(const std::vector<ProcessorId>& helpers) const {
    std::string text;
    for (const ProcessorId helper : helpers)
      text += " and " + processor_name(machine_, raw(helper));
    return text;
  }

  /// The processor computes the task for so long, or so much longer.
  void count_busy(std::size_t p, TaskId task, double busy_s) {
    trace_.busy_s[p] += busy_s;
    if (!powers_.known()) return;
    trace_.compute_j[p] += busy_s * powers_.w(p, static_cast<Index>(raw(task)));
  }

  /// When the task can start: it has been decided upon, and what its processor owes is paid.
  /// Decisions of all processors follow one another, as under one lock.
  double start_s(std::size_t p, TaskId task) {
    const double owed = std::exchange(pending_overhead_s_[p], 0);
    if (owed > 0) {
      charge_decision_time(ProcessorId{static_cast<std::uint32_t>(p)}, owed);
      return deciding_until_s_;
    }
    return decided_s_.empty() ? now_ : std::max(now_, decided_s_[raw(task)]);
  }

  void end_transfer(Runtime& runtime) {
    if (peers_.next_time() < copies_.next_time()) return end_peer_load(runtime);
    now_ = copies_.next_time();
    const auto ended = copies_.advance();
    if (!ended) return;
    if (many_) expect_next(runtime);
    if (machine_.interference > 0) interfere(*ended);
    if (ended->returning) {
      end_return(ended->processor, DataId{ended->id}, runtime);
      return;
    }
    if (ended->out) {
      end_write(ended->processor, TaskId{ended->id}, runtime);
      return;
    }
    tell(Kind::load_ended, ended->processor, ended->id);
    runtime.load_ended(ended->processor, DataId{ended->id});
  }

  /// Brings what the next event will look at into the cache, while this one is answered.
  void expect_next(const Runtime& runtime) const {
    const double transfer = copies_.next_time();
    if (transfer == std::numeric_limits<double>::infinity() && computing_.empty()) return;
    const ProcessorId next =
        transfer <= computing_.next_time() ? copies_.next_processor() : computing_.next();
    runtime.prefetch_state(next);
    copies_.prefetch_state(next);
    prefetch_line(running_[raw(next)]);
  }

  void end_peer_load(Runtime& runtime) {
    now_ = peers_.next_time();
    const PeerLinks::Copy copy = peers_.advance();
    tell(Kind::load_ended, copy.to, raw(copy.data));
    runtime.load_ended(copy.to, copy.data);
  }

  /// The running task takes longer for the copy beside it.
  void interfere(const CopyStreams::Copy& copy) {
    const double longer_s = interference_.copy_ends(copy, now_);
    if (longer_s == 0) return;
    count_busy(raw(copy.processor), running_[raw(copy.processor)].front(), longer_s);
    computing_.set(copy.processor, computing_.time_of(copy.processor) + longer_s);
  }

  void end_task(Runtime& runtime) {
    now_ = computing_.next_time();
    const ProcessorId processor = computing_.next();
    computing_.remove(processor);
    if (many_) expect_next(runtime);
    interference_.task_ends(raw(processor), now_);
    ++ended_;
    if (share_ != nullptr) share_->ended(ended_);
    trace_.makespan_s = now_;
    auto& running = running_[raw(processor)];
    const TaskId task = running.front();
    running.pop_front();
    tell(Kind::task_ended, processor, raw(task));
    for (const ProcessorId helper : teams_.helpers(task)) tell(Kind::left, helper, raw(task));
    teams_.end(task);
    if (needs_place(raw(processor), task)) start_write(processor, task);
    if (!running.empty()) compute(processor);
    runtime.task_ended(processor, task);
  }

  void end_write(ProcessorId processor, TaskId task, Runtime& runtime) {
    if (machine_.output_places > 0) return free_place(processor, task);
    trace_.bytes_written[raw(processor)] += output_bytes(task);
    // Who keeps no room for outputs does not wait for them either.
    if (machine_.outputs_take_memory) trace_.makespan_s = now_;
    runtime.write_ended(processor, task);
  }

  void end_return(ProcessorId processor, DataId data, Runtime& runtime) {
    tell(Kind::return_ended, processor, raw(data));
    trace_.bytes_written[raw(processor)] += graph_.bytes(static_cast<Index>(raw(data)));
    // The last results are waited for as other outputs are.
    if (machine_.write_back && machine_.outputs_take_memory) trace_.makespan_s = now_;
    runtime.return_ended(processor, data);
  }

  [[nodiscard]] std::uint64_t output_bytes(TaskId task) const {
    return graph_.output_bytes(static_cast<Index>(raw(task)));
  }

  const TaskGraph& graph_;
  const MachineModel& machine_;
  Durations durations_;
  Powers powers_;
  const Watcher& watcher_;
  const Jitter& jitter_;
  CopyStreams copies_;
  RoutingTable routes_;
  PeerLinks peers_;
  EventQueue computing_;  // when each processor's running task ends
  std::vector<ShortQueue<TaskId>>
      running_;  // on each processor: the running task, and those queued
  TeamWork teams_;
  Interference interference_;
  bool many_;                                // processors: their states do not fit in the cache
  std::vector<std::uint64_t> places_taken_;  // of outputs, by processor
  std::vector<bool> waits_for_place_;        // whether its oldest task does
  std::vector<double> pending_overhead_s_;   // for decisions, by its next task
  double deciding_until_s_ = 0;              // the last decision so far
  ProcessorId decided_for_{};                // whose that was
  std::vector<double> decided_s_;            // by task, where decisions take virtual time
  Trace trace_;
  LoadCauses causes_;
  std::size_t ended_ = 0;
  RunShare* share_ = RunShare::of_this_thread();
  double now_ = 0;
};

}  // namespace

Trace replay_limited(const Workload& workload, const Platform& platform, const Decisions& decisions,
                     std::uint64_t seed, std::uint64_t replicate, const Watcher& watcher) {
  refuse_unlimited(workload);
  const Jitter jitter(*platform.machine, seed, replicate);
  VirtualTimeBackend backend(
      workload, platform, Durations::drawn(workload, platform, seed, replicate), watcher, jitter);
  ReplayRuntime runtime(decisions, workload, platform, backend);
  return backend.run(runtime, 0);
}

Trace simulate_limited(const Workload& workload, const Platform& platform,
                       const StrategyChoice& strategy, std::uint64_t seed, std::uint64_t replicate,
                       const Watcher& watcher, Scheduling charge, RunSoFar* so_far) {
  refuse_unlimited(workload);
  const bool charged = charge == Scheduling::charged;
  const Jitter jitter(*platform.machine, seed, replicate);
  VirtualTimeBackend backend(
      workload, platform, Durations::drawn(workload, platform, seed, replicate), watcher, jitter);
  using Others = MemoryPromise::Others;
  const RuntimeOptions options{.timed = charged,
                               .others = so_far == nullptr ? Others::wait_for : Others::count};
  if (so_far != nullptr) *so_far = backend.so_far();
  MemoryAwareRuntime runtime(workload, platform, strategy, seed, replicate, options, backend);
  Trace trace = backend.run(runtime, runtime.making_s());
  trace.planned_makespan_s = runtime.planned_makespan_s();
  trace.scheduling_s = runtime.scheduling_s();
  return trace;
}

}  // namespace damocles
