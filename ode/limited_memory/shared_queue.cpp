#include "ode/limited_memory/shared_queue.hpp"

#include <utility>

#include "ode/limited_memory/mean_of_draws.hpp"

namespace damocles {

BufferedRun::BufferedRun(const LimitedRun& run, NextTask next, Taken taken, std::uint64_t draw,
                         NextAhead ahead)
    : next_(std::move(next)),
      ahead_(std::move(ahead)),
      queue_(queue()),
      state_{std::vector<BufferedMemory>(run.processors, BufferedMemory(run)),
             PacedRun(run, queue_, taken, draw)} {}

TaskQueue BufferedRun::queue() {
  TaskQueue queue;
  queue.next = [this](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
    const auto task = next_(processor);
    if (!task) return std::nullopt;
    state_.memories[processor].take(*task);
    return TaskLoads{.task = *task};
  };
  queue.loads = [this](std::size_t processor, std::size_t unfinished) {
    return state_.memories[processor].request(unfinished);
  };
  if (ahead_) {
    queue.load_ahead = [this](std::size_t processor, std::size_t unfinished) {
      return load_ahead(processor, unfinished);
    };
  }
  return queue;
}

bool BufferedRun::load_ahead(std::size_t processor, std::size_t unfinished) {
  BufferedMemory& memory = state_.memories[processor];
  if (!memory.has_room_ahead(unfinished)) return false;
  while (const auto item = ahead_(processor)) {
    if (memory.holds(*item)) continue;
    memory.load_ahead(*item, unfinished);
    return true;
  }
  return false;
}

LimitedPrediction drawn_with_buffer(const LimitedRun& run, const NextTask& next, Taken taken,
                                    std::uint64_t draw, const NextAhead& ahead) {
  return *BufferedRun(run, next, taken, draw, ahead).go_on();
}

LimitedPrediction drawn_lists(const LimitedRun& run, const std::vector<TaskSequence>& lists,
                              Taken taken, std::uint64_t draw) {
  std::vector<std::size_t> taken_tasks(lists.size(), 0);
  const auto next = [&](std::size_t processor) -> std::optional<TaskGraph::Index> {
    const TaskSequence& list = lists[processor];
    std::size_t& at = taken_tasks[processor];
    return at < list.size() ? std::optional(list[at++]) : std::nullopt;
  };
  return drawn_with_buffer(run, next, taken, draw);
}

LimitedPrediction predict_in_order(const LimitedRun& run, const std::vector<TaskSequence>& lists,
                                   Taken taken) {
  return mean_of_draws(run, few_draws(run), [&](const LimitedRun& one, std::uint64_t draw) {
    return drawn_lists(one, lists, taken, draw);
  });
}

}  // namespace damocles
