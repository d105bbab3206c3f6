#pragma once

#include <algorithm>
#include <cstdint>

#include "models/runs/task_list.hpp"
#include "models/task_lines.hpp"

namespace damocles {

/// What is left of a processor's zone: its order, computed from the front, from the end by others.
/// The first tasks are kept for the processor alone.
class ZoneTasks {
 public:
  /// @param kept  at most zone.tasks()
  ZoneTasks(const TaskLines& zone, std::uint64_t kept)
      : zone_(zone), kept_(kept), open_(zone.tasks() - kept), end_(zone.lines()) {}

  /// Tasks that only its processor may be granted. They go first.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  /// Tasks that anybody may.
  [[nodiscard]] std::uint64_t open() const { return open_; }

  /// Adds what is kept of the first line. @pre kept() > 0
  void take_line(TaskList& tasks) {
    const auto line = zone_.line(begin_);
    const std::uint64_t taken = std::min(kept_, line.tasks - taken_first_);
    tasks.add_range(TaskId{raw(line.first) + taken_first_}, taken);
    kept_ -= taken;
    move_begin(line.tasks, taken);
  }
  /// The first task of all. @pre kept() == 0, open() > 0
  TaskId take_first() {
    const auto line = zone_.line(begin_);
    const TaskId task{raw(line.first) + taken_first_};
    --open_;
    move_begin(line.tasks, 1);
    return task;
  }
  /// The last. @pre open() > 0
  TaskId take_last() {
    const auto line = zone_.line(end_ - 1);
    --open_;
    const TaskId task{raw(line.first) + line.tasks - ++taken_last_};
    if (taken_last_ == line.tasks) {
      --end_;
      taken_last_ = 0;
    }
    return task;
  }

 private:
  void move_begin(std::uint64_t line_tasks, std::uint64_t taken) {
    taken_first_ += taken;
    if (taken_first_ < line_tasks) return;
    ++begin_;
    taken_first_ = 0;
  }

  TaskLines zone_;
  std::uint64_t kept_;
  std::uint64_t open_;
  std::uint64_t begin_ = 0;        // line of the first task left
  std::uint64_t taken_first_ = 0;  // of that line
  std::uint64_t end_;              // behind the line of the last task left
  std::uint64_t taken_last_ = 0;   // from the end of that line
};

}  // namespace damocles
