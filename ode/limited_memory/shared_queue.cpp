#include "ode/limited_memory/shared_queue.hpp"

#include <vector>

#include "ode/limited_memory/buffered_memory.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"

namespace damocles {

LimitedPrediction drawn_with_buffer(const LimitedRun& run, const NextTask& next, Taken taken,
                                    std::uint64_t draw, const NextAhead& ahead) {
  std::vector<BufferedMemory> memories(run.processors, BufferedMemory(run));
  TaskQueue queue;
  queue.next = [&](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
    const auto task = next(processor);
    if (!task) return std::nullopt;
    memories[processor].take(*task);
    return TaskLoads{.task = *task};
  };
  queue.loads = [&](std::size_t processor, std::size_t unfinished) {
    return memories[processor].request(unfinished);
  };
  const auto load_ahead = [&](std::size_t processor, std::size_t unfinished) {
    BufferedMemory& memory = memories[processor];
    if (!memory.has_room_ahead(unfinished)) return false;
    while (const auto item = ahead(processor)) {
      if (memory.holds(*item)) continue;
      memory.load_ahead(*item, unfinished);
      return true;
    }
    return false;
  };
  if (ahead) queue.load_ahead = load_ahead;
  return paced_run(run, queue, taken, draw);
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
