#pragma once

#include "models/node_memory.hpp"
#include "models/workload.hpp"
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

}  // namespace damocles
