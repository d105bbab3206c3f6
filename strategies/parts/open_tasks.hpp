#pragma once

#include <cstdint>

#include "models/runs/task_list.hpp"

namespace damocles {

/// The tasks of a grid that nobody has been given yet.
class OpenTasks {
 public:
  explicit OpenTasks(std::uint64_t count) : count_(count) {}
  OpenTasks(const OpenTasks&) = delete;
  OpenTasks& operator=(const OpenTasks&) = delete;
  virtual ~OpenTasks() = default;

  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The open tasks are listed in so many batches of neighbours, ascending.
  [[nodiscard]] virtual std::uint64_t batches() const = 0;
  virtual void list(std::uint64_t batch, TaskList& tasks) const = 0;

  /// Calls visit(TaskId) for each open task, ascending.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    TaskList tasks;
    for (std::uint64_t batch = 0; batch < batches(); ++batch) {
      tasks.clear();
      list(batch, tasks);
      tasks.for_each(visit);
    }
  }

 protected:
  /// So many are open no longer.
  void close(std::uint64_t tasks) { count_ -= tasks; }

 private:
  std::uint64_t count_;
};

}  // namespace damocles
