#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/task_loads.hpp"

namespace damocles {

/// From where processors take their tasks, one at a time. Its functions are told how many of the
/// tasks that the processor took have not ended.
struct TaskQueue {
  /// The next task of the processor and, unless `loads` says so, what it loads; nothing: there is
  /// none for it any more, or none until `has_task` says otherwise.
  std::function<std::optional<TaskLoads>(std::size_t processor, std::size_t unfinished)> next;
  /// What the first of the tasks that it took and was not asked of loads, told when its inputs are
  /// requested; nothing: there is no room until a task ends. Empty: it was known when the task was
  /// taken.
  std::function<std::optional<TaskLoads>(std::size_t processor, std::size_t unfinished)> loads{};
  /// Loads a data item that the queue proposes for a later task, while the processor's buffer is
  /// full of tasks that lack nothing. False: none. Empty: the queue never does.
  std::function<bool(std::size_t processor, std::size_t unfinished)> load_ahead{};
  /// Told when what load_ahead() loaded for the processor has come. Empty: it need not know.
  std::function<void(std::size_t processor)> ahead_came{};
  /// Told before next(), of each processor: so many of the tasks that it took have started, and
  /// ended. Empty: the queue need not know.
  std::function<void(std::size_t processor, std::size_t started, std::size_t ended)> progress{};
  /// Whether there is a task again for a processor that got none, asked when another one has asked
  /// for a task. Empty: never.
  std::function<bool(std::size_t processor)> has_task{};
};
/// When a processor takes a task from a queue: when one of its buffer has ended, or not before the
/// inputs of all that it has have come.
enum class Taken { when_there_is_room, when_inputs_came };
/// What is loaded and how long it takes: the inputs of a task are asked for when it enters the
/// buffer, the transfers of a processor follow each other, those of several share the bus evenly,
/// and each task starts when its inputs have come and the one before has ended.
///
/// A copy stands where the run stood, and takes its tasks from the same queue.
class PacedRun {
 public:
  /// @param queue  outlives it
  /// @param draw   which draw of the jitter, from 0
  PacedRun(const LimitedRun& run, const TaskQueue& queue, Taken taken, std::uint64_t draw);
  PacedRun(const PacedRun& other);
  PacedRun& operator=(const PacedRun& other);
  ~PacedRun();

  /// To its end, or until it pauses.
  /// @param pauses  asked before each event; empty: never
  /// @return nothing where it paused
  [[nodiscard]] std::optional<LimitedPrediction> go_on(const std::function<bool()>& pauses = {});

 private:
  class Processors;
  std::unique_ptr<Processors> processors_;
};

/// All of such a run.
[[nodiscard]] LimitedPrediction paced_run(const LimitedRun& run, const TaskQueue& queue,
                                          Taken taken = Taken::when_there_is_room,
                                          std::uint64_t draw = 0);

}  // namespace damocles
