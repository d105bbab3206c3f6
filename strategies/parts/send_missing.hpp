#pragma once

#include <algorithm>

#include "models/rng.hpp"
#include "models/runs/node_memory.hpp"
#include "models/workload.hpp"
#include "strategies/parts/task_pool.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

/// Grants one task and the inputs of it that the processor lacks.
inline void send_missing(const Workload& workload, const NodeMemory& memory, ProcessorId processor,
                         TaskId task, Grant& grant) {
  workload.for_each_input(task, [&](DataId data) {
    if (!memory.resident(processor, data)) grant.loads.push_back(data);
  });
  grant.tasks.add(task);
}

/// Makes the grant's loads the inputs of its tasks that the processor lacks, each once: what a
/// strategy that names tasks alone means.
inline void load_missing(const Workload& workload, const NodeMemory& memory, ProcessorId processor,
                         Grant& grant) {
  grant.loads.clear();
  grant.tasks.for_each([&](TaskId task) {
    workload.for_each_input(task, [&](DataId data) {
      if (memory.resident(processor, data)) return;
      if (std::find(grant.loads.begin(), grant.loads.end(), data) == grant.loads.end()) {
        grant.loads.push_back(data);
      }
    });
  });
}

/// Grants a random task of the pool, unless it is empty, and the inputs that the processor lacks.
inline void send_drawn(const Workload& workload, const NodeMemory& memory, TaskPool& pool, Rng& rng,
                       ProcessorId processor, Grant& grant) {
  if (pool.empty()) return;
  const TaskId task = pool.draw(rng);
  workload.for_each_input(pool.soon(), [&](DataId data) { memory.prefetch(data); });
  send_missing(workload, memory, processor, task, grant);
}

}  // namespace damocles
