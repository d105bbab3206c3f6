#include "strategies/runtime/team_work.hpp"

#include <fmt/format.h>

#include "models/error.hpp"

namespace damocles {

void TeamWork::refuse(ProcessorId busy, ProcessorId processor, TaskId task, TaskId other) const {
  throw NoProgress(
      fmt::format("the strategy has {} compute task {}{} while it computes task {}",
                  platform_.name(busy), workload_.task_name(task),
                  busy == processor ? "" : " together with " + platform_.name(processor),
                  workload_.task_name(other)));
}

}  // namespace damocles
