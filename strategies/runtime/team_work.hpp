#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Who computes a task together with the processor that was granted it, as a machine is told.
class TeamWork {
 public:
  /// Both, whose names errors give, outlive it.
  TeamWork(const Workload& workload, const Platform& platform)
      : workload_(workload), platform_(platform), helped_(platform.processors()) {}

  /// As ExecutionBackend::join() says.
  void join(ProcessorId helper) { joining_.push_back(helper); }
  /// The task, whose helpers have joined, was given to the processor. `running(p)` is what p
  /// computes of its own, if anything.
  /// @throws NoProgress where one of them, or the processor, computes another task
  template <typename Running>
  void start(ProcessorId processor, TaskId task, Running&& running) {
    if (const auto other = helped_[raw(processor)]) refuse(processor, processor, task, *other);
    for (const ProcessorId helper : joining_) {
      const auto other = helped_[raw(helper)] ? helped_[raw(helper)] : running(helper);
      if (other || helper == processor) refuse(helper, processor, task, other.value_or(task));
      helped_[raw(helper)] = task;
    }
    if (joining_.empty()) return;
    helpers_[raw(task)].swap(joining_);
  }
  /// Of a task that was started and has not ended.
  [[nodiscard]] const std::vector<ProcessorId>& helpers(TaskId task) const {
    if (helpers_.empty()) return nobody_;
    const auto found = helpers_.find(raw(task));
    return found == helpers_.end() ? nobody_ : found->second;
  }
  /// The task has ended.
  void end(TaskId task) {
    if (helpers_.empty()) return;
    for (const ProcessorId helper : helpers(task)) helped_[raw(helper)].reset();
    helpers_.erase(raw(task));
  }

 private:
  [[noreturn]] void refuse(ProcessorId busy, ProcessorId processor, TaskId task,
                           TaskId other) const;

  const Workload& workload_;
  const Platform& platform_;
  std::vector<std::optional<TaskId>> helped_;                  // by each processor
  std::map<std::uint64_t, std::vector<ProcessorId>> helpers_;  // of each task that has some
  std::vector<ProcessorId> joining_;                           // of the task that starts next
  std::vector<ProcessorId> nobody_;                            // helps most tasks
};

}  // namespace damocles
