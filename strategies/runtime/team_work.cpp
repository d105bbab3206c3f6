#include "strategies/runtime/team_work.hpp"

#include <fmt/format.h>

#include "models/error.hpp"

namespace damocles {

void TeamWork::refuse(ProcessorId busy, ProcessorId processor, TaskId task, TaskId other) const {
  const auto name = [&](TaskId one) {
    return workload_.graph().task_name(static_cast<TaskGraph::Index>(raw(one)));
  };
  throw NoProgress(
      fmt::format("the strategy has processor {} compute task {}{} while it computes task {}",
                  raw(busy), name(task),
                  busy == processor ? std::string()
                                    : fmt::format(" together with processor {}", raw(processor)),
                  name(other)));
}

}  // namespace damocles
