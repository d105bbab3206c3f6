// Work stealing: tasks are dealt in turn, and a processor that has none left takes one of another.

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/shared_queue.hpp"
#include "ode/limited_memory/task_lists.hpp"

namespace damocles {
namespace {

enum class StolenFrom { next_neighbour, longest_queue };

/// A queue of tasks for each processor, who takes the first of its own and the last of others'.
class StealingQueues {
 public:
  StealingQueues(const LimitedRun& run, StolenFrom from) : from_(from) {
    for (TaskSequence& tasks : dealt_in_turn(run)) {
      queues_.push_back({.tasks = std::move(tasks)});
    }
  }

  /// The next task of the processor, nothing where all are taken.
  std::optional<TaskGraph::Index> next(std::size_t processor) {
    Queue& own = queues_[processor];
    if (own.left() > 0) return own.tasks[own.first++];
    Queue& victim = queues_[from_ == StolenFrom::longest_queue ? longest() : after(processor)];
    if (victim.left() == 0) return std::nullopt;
    const auto task = victim.tasks.back();
    victim.tasks.pop_back();
    return task;
  }

 private:
  struct Queue {
    TaskSequence tasks{};
    std::size_t first = 0;  // that is left
    [[nodiscard]] std::size_t left() const { return tasks.size() - first; }
  };

  /// Ties: the lowest processor.
  [[nodiscard]] std::size_t longest() const {
    std::size_t found = 0;
    for (std::size_t k = 1; k < queues_.size(); ++k) {
      if (queues_[k].left() > queues_[found].left()) found = k;
    }
    return found;
  }
  /// The first one behind the processor, round again, that has tasks; itself where none has.
  [[nodiscard]] std::size_t after(std::size_t processor) const {
    for (std::size_t step = 1; step < queues_.size(); ++step) {
      const std::size_t found = (processor + step) % queues_.size();
      if (queues_[found].left() > 0) return found;
    }
    return processor;
  }

  StolenFrom from_;
  std::vector<Queue> queues_;
};

template <StolenFrom From>
LimitedPrediction predict_work_stealing(const LimitedRun& run) {
  return mean_of_draws(run, few_draws(run), [](const LimitedRun& one, std::uint64_t draw) {
    StealingQueues queues(one, From);
    const auto next = [&queues](std::size_t processor) { return queues.next(processor); };
    return drawn_with_buffer(one, next, Taken::when_inputs_came, draw);
  });
}

template <StolenFrom From>
LimitedPredictor work_stealing(const char* strategy, const ExpectedErrors& several) {
  return {.name = strategy,
          .model = "counted",
          .several = several,
          .several_elsewhere = {.loads = 0.005, .makespan = 0.005},
          .different_speeds = {.loads = 0.005, .makespan = 0.005},
          .predict = predict_work_stealing<From>,
          .in_rounds_up_to = std::numeric_limits<std::size_t>::max()};
}

constexpr ExpectedErrors of_short_buffers{.loads = 0.005, .makespan = 0.02};

const Register work_stealing_predictors{
    work_stealing<StolenFrom::next_neighbour>("lws", {.loads = 0.005, .makespan = 0.005}),
    work_stealing<StolenFrom::longest_queue>("ws", of_short_buffers),
    work_stealing<StolenFrom::next_neighbour>("modular-ws", of_short_buffers)};

}  // namespace
}  // namespace damocles
