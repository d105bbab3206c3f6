#include "ode/limited_memory/shared_queue.hpp"

#include <utility>
#include <vector>

#include "ode/limited_memory/counted_loads.hpp"

namespace damocles {

LimitedPrediction drawn_under_lru(const LimitedRun& run, const NextTask& next, Taken taken,
                                  std::uint64_t draw) {
  std::vector<LruMemory> memories(run.processors, LruMemory(*run.graph, run.memory));
  LimitedPrediction result;
  const auto loads_of_next = [&](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
    const auto task = next(processor);
    if (!task) return std::nullopt;
    const TaskLoads loads = memories[processor].run(*task);
    result.loads += loads.needed;
    return loads;
  };
  PacedRun pace = paced_run(run, {.next = loads_of_next}, taken, draw);
  result.makespan_s = pace.makespan_s;
  result.courses = std::move(pace.courses);
  return result;
}

}  // namespace damocles
