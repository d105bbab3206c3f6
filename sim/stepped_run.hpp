// A simulated run whose decisions come from outside, one by one: for search and for learning.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "sim/coroutine.hpp"
#include "sim/limited_run.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// What a stepped run depends on beside workload, platform and decisions.
struct StepOptions {
  std::string eviction = "lru";
  std::uint64_t seed = 1;
  std::uint64_t replicate = 0;
};

/// The run of simulate_limited(), with the caller as its strategy: it stops whenever a processor
/// asks for work, and goes on when grant() answers.
///
///     SteppedRun run(workload, platform, {});
///     while (!run.done()) run.grant({{TaskId{run.open().front()}}});
///
/// The runtime asks as it asks any strategy, but for processors that could be given nothing: those
/// it does not ask. So the same decisions give the same run as those of a strategy that keeps its
/// plans to itself (Strategy::reserved_uses(), next_use()). A refused answer changes nothing. A run
/// that ended by an error refuses every further question.
class SteppedRun {
 public:
  /// Runs up to the first question. Workload and platform outlive it.
  /// @param watcher  told of every event
  /// @throws InvalidInput as simulate_limited(), and on an unknown eviction policy
  SteppedRun(const Workload& workload, const Platform& platform, StepOptions options,
             Watcher watcher = {});
  SteppedRun(const SteppedRun&) = delete;
  SteppedRun& operator=(const SteppedRun&) = delete;
  SteppedRun(SteppedRun&&) = delete;
  SteppedRun& operator=(SteppedRun&&) = delete;
  ~SteppedRun();

  /// Another run in the same state, which goes on by itself. It repeats all steps so far, so that
  /// it takes as long as they took.
  /// @param watcher  told of every event, from the first
  /// @throws NoProgress if it comes to another state, as with an eviction policy that does not
  /// repeat itself
  [[nodiscard]] std::unique_ptr<SteppedRun> clone(Watcher watcher = {}) const;

  /// Whether all tasks have ended; else a processor asks.
  [[nodiscard]] bool done() const { return done_; }
  /// Whether nobody asks any more: the run is done, or has ended by an error.
  [[nodiscard]] bool over() const { return simulation_.ended(); }
  /// The processor that asks. @throws NoProgress if the run is over, as grant() does
  [[nodiscard]] ProcessorId worker() const;
  /// The tasks that may be granted, in the order in which they became ready: all that they wait for
  /// has ended, and nobody was granted them.
  [[nodiscard]] std::vector<std::uint64_t> open() const;
  /// Answers the question as Strategy::request() does, and runs up to the next one: tasks in their
  /// order, hints what to load. Nothing: the processor is asked for again when other tasks become
  /// ready, when something ends on it, or after wake().
  /// @throws InvalidInput on a task that is not open, or that the processor cannot run, and on an
  /// unknown task or data item; NoProgress if nothing can happen any more
  void grant(std::span<const TaskId> tasks, std::span<const DataId> loads = {});
  /// Those that were granted nothing are asked for again, after the next answer.
  void wake() { wake_ = true; }

  /// Virtual time [s]; the makespan once the run is done.
  [[nodiscard]] double time_s() const;
  /// What has been counted so far; of a run that is done, what simulate_limited() returns.
  [[nodiscard]] const Trace& trace() const;
  /// What a strategy knows. @throws NoProgress if the run is over
  [[nodiscard]] const StrategyContext& context() const;
  /// The data items that lie in the processor's memory, ascending.
  [[nodiscard]] std::vector<std::uint64_t> resident(ProcessorId processor) const;
  /// The data items on their way there, in the order in which they were requested.
  [[nodiscard]] const std::deque<std::uint64_t>& loading(ProcessorId processor) const;
  /// The tasks that it was granted and that have not ended, in the order of the grants.
  [[nodiscard]] const std::deque<std::uint64_t>& assigned(ProcessorId processor) const;
  [[nodiscard]] const StrategyChoice& choice() const { return choice_; }

 private:
  using Index = TaskGraph::Index;
  class Asking;
  /// An answer, who was given it, and when.
  struct Step {
    ProcessorId worker{};
    double time_s = 0;
    std::vector<TaskId> tasks{};
    std::vector<DataId> loads{};
    bool wake = false;
  };

  [[nodiscard]] StrategyEntry entry();
  void resume();
  void refuse_over() const;
  void refuse_failed() const;
  void check(std::span<const TaskId> tasks, std::span<const DataId> loads) const;
  void see(const RunEvent& event);
  void make_open(Index task);
  void close(Index task);
  [[nodiscard]] bool any_open_for(ProcessorId processor) const;
  [[nodiscard]] bool takes(const Step& step) const;
  [[nodiscard]] bool same_state(const SteppedRun& other) const;

  const Workload& workload_;
  const Platform& platform_;
  StepOptions options_;
  Watcher watcher_;
  Durations durations_;
  StrategyEntry entry_;
  StrategyChoice choice_;
  std::optional<StrategyContext> context_;  // while the run goes on
  RunSoFar so_far_;                         // then too
  std::vector<Step> steps_;
  std::optional<ProcessorId> worker_;  // who asks
  bool wake_ = false;
  std::vector<Index> opened_;                        // in order; those that were granted since, too
  std::vector<bool> is_open_;                        // by task
  std::size_t open_ = 0;                             // how many are
  std::vector<std::deque<std::uint64_t>> loading_;   // by processor
  std::vector<std::deque<std::uint64_t>> assigned_;  // by processor
  Trace trace_;                                      // of a run that is done
  bool done_ = false;
  Coroutine simulation_;  // the last: what it unwinds looks at all others
};

}  // namespace damocles
