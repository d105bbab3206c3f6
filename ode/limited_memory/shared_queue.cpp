#include "ode/limited_memory/shared_queue.hpp"

#include <vector>

#include "ode/limited_memory/buffered_memory.hpp"
#include "ode/limited_memory/counted_loads.hpp"

namespace damocles {

LimitedPrediction drawn_under_lru(const LimitedRun& run, const NextTask& next, Taken taken,
                                  std::uint64_t draw) {
  std::vector<LruMemory> memories(run.processors, LruMemory(*run.graph, run.memory));
  const auto loads_of_next = [&](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
    const auto task = next(processor);
    if (!task) return std::nullopt;
    return memories[processor].run(*task);
  };
  return paced_run(run, {.next = loads_of_next}, taken, draw);
}

LimitedPrediction drawn_with_buffer(const LimitedRun& run, const NextTask& next,
                                    const NextAhead& ahead, std::uint64_t draw) {
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
  queue.load_ahead = [&](std::size_t processor, std::size_t unfinished) {
    BufferedMemory& memory = memories[processor];
    if (!memory.has_room_ahead(unfinished)) return false;
    while (const auto item = ahead(processor)) {
      if (memory.holds(*item)) continue;
      memory.load_ahead(*item, unfinished);
      return true;
    }
    return false;
  };
  return paced_run(run, queue, Taken::when_there_is_room, draw);
}

}  // namespace damocles
